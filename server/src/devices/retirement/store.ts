import type { Actor } from "#audit/event.ts";
import { recorded } from "#audit/store.ts";
import type { Context } from "#context.ts";
import type { Compilable } from "#database/database.ts";
import { requireBatch } from "../device.ts";
import { leaveGroupsQuery } from "../groups/store.ts";
import type { OwnDevice } from "../store.ts";

/** Retires a live device of the account: its address is wiped and its groups lose it. False where there is none. */
export async function removeDevice(
  context: Context,
  { accountId, deviceId, by }: OwnDevice & { readonly by: Actor },
): Promise<boolean> {
  const removal = retire(context, "removed")
    .where("id", "=", deviceId)
    .where("account_id", "=", accountId)
    .returning("id");
  const removed = await recorded(
    context,
    async (db) => {
      const { rows } = await db.executeQuery(removal.compile());
      await db.executeQuery(leaveGroupsQuery(context, [deviceId]).compile());
      return rows[0];
    },
    () => ({ action: "device_removed", by, accountId, subjectId: deviceId }),
  );
  return removed !== undefined;
}

/** A push service's word that an address is gone. */
export interface Gone {
  readonly deviceId: string;
  /** Counts only where this is still the device's address. */
  readonly addressHash?: string;
  /** Counts only where the address was not registered after this moment, in milliseconds since the epoch. */
  readonly asOf: number;
  readonly reason: string;
}

/** Retires a device whose address is gone; false where it was registered again since, or is retired. */
export async function retireGone(context: Context, gone: Gone): Promise<boolean> {
  const [retired] = await context.database.atomically(retireGoneQueries(context, [gone]));
  return retired?.rows.length === 1;
}

/**
 * Returns the queries that retire at most 500 gone devices, for one transaction and in this order: one for
 * each device, which answers its id where it was retired, then one that takes them out of their groups.
 */
export function retireGoneQueries(context: Context, gone: readonly Gone[]): readonly Compilable[] {
  requireBatch(gone);
  if (gone.length === 0) return [];
  const retirements = gone.map(({ deviceId, addressHash, asOf, reason }) => {
    const query = retire(context, reason)
      .where("id", "=", deviceId)
      .where("registered_at", "<=", asOf)
      .returning("id");
    return addressHash === undefined ? query : query.where("address_hash", "=", addressHash);
  });
  const deviceIds = gone.map(({ deviceId }) => deviceId);
  return [...retirements, leaveGroupsQuery(context, deviceIds)];
}

/** Returns the query that retires every device of an account, to be committed with what ends them. */
export function retireAllQuery(context: Context, accountId: string): Compilable {
  return retire(context, "removed").where("account_id", "=", accountId);
}

/**
 * Returns the queries that retire every device of an account that ends, and take its groups away. The rows stay, without
 * name and address, for the delivery logs of teams.
 */
export function forgetDevicesQueries(context: Context, accountId: string): readonly Compilable[] {
  const { db } = context.database;
  const ofAccount = db.selectFrom("device_group").select("id").where("account_id", "=", accountId);
  return [
    retireAllQuery(context, accountId),
    db
      .updateTable("device")
      .set({ name: "Removed device", address: "{}", address_hash: "" })
      .where("account_id", "=", accountId),
    db.deleteFrom("device_group_member").where("group_id", "in", ofAccount),
    db.deleteFrom("device_group").where("account_id", "=", accountId),
  ];
}

function retire({ database: { db }, now }: Context, reason: string) {
  return db
    .updateTable("device")
    .set({ retired_at: now(), retired_reason: reason, address: "{}" })
    .where("retired_at", "is", null);
}
