import type { Actor } from "#audit/event.ts";
import { runAndRecord } from "#audit/store.ts";
import type { Context } from "#context.ts";
import type { Platform } from "../device.ts";
import type { OwnedDevice } from "../store/devices.ts";

/** A live device of an account that is not suspended, and the hash of the device's action key. */
export interface DeviceWithKeyHash extends OwnedDevice {
  readonly platform: Platform;
  /** Null if the device has no key. */
  readonly actionKeyHash: string | null;
}

/** Returns a live device; null if there is none with this id, or if its account is suspended. */
export async function findDeviceWithKeyHash(
  { database: { db } }: Context,
  deviceId: string,
): Promise<DeviceWithKeyHash | null> {
  const row = await db
    .selectFrom("device")
    .innerJoin("account", "account.id", "device.account_id")
    .select(["device.account_id", "platform", "action_key_hash"])
    .where("device.id", "=", deviceId)
    .where("retired_at", "is", null)
    .where("suspended_at", "is", null)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { account_id: accountId, platform, action_key_hash: actionKeyHash } = row;
  return { deviceId, accountId, platform, actionKeyHash };
}

/**
 * Replaces the action key of a live device of the account, and records an event. Returns false if there is no such
 * device.
 */
export async function replaceActionKey(
  context: Context,
  input: OwnedDevice & { readonly actionKeyHash: string; readonly actor: Actor },
): Promise<boolean> {
  const { accountId, deviceId, actionKeyHash, actor } = input;
  const row = await runAndRecord(
    context,
    (db) =>
      db
        .updateTable("device")
        .set({ action_key_hash: actionKeyHash, action_key_at: context.now() })
        .where("id", "=", deviceId)
        .where("account_id", "=", accountId)
        .where("retired_at", "is", null)
        .returning("id")
        .executeTakeFirst(),
    ({ id }) => ({ action: "device_action_key_made", actor, accountId, subjectId: id }),
  );
  return row !== undefined;
}
