import { timingSafeEqual } from "node:crypto";
import type { Context } from "#context.ts";
import type { Platform } from "../device.ts";
import type { OwnedDevice } from "../store/devices.ts";
import { hashActionKey } from "./action-key.ts";
import { findDeviceWithKeyHash } from "./store.ts";

/** A device that proved its identity with its action key, and the account of its owner. */
export interface ProvenDevice extends OwnedDevice {
  readonly platform: Platform;
}

/**
 * Returns the live device with this id and action key; null if there is none, or if its owner is suspended. The hashes
 * are compared in constant time, even if the device does not exist.
 */
export async function findDeviceByActionKey(
  context: Context,
  { deviceId, actionKey }: { readonly deviceId: string; readonly actionKey: string },
): Promise<ProvenDevice | null> {
  const device = await findDeviceWithKeyHash(context, deviceId);
  const isSame = timingSafeEqual(
    Buffer.from(hashActionKey(actionKey)),
    Buffer.from(device?.actionKeyHash ?? NO_HASH),
  );
  if (device === null || !isSame) return null;
  const { accountId, platform } = device;
  return { accountId, deviceId, platform };
}

/** A text that is as long as a hash, but is not one. */
const NO_HASH = "-".repeat(64);
