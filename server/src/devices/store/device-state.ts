import { sql } from "kysely";
import type { DeliveryState } from "@tocsin/sdk";
import type { Context } from "#context.ts";
import type { Compilable } from "#database/database.ts";
import type { Address } from "#providers/provider.ts";
import { addressHashOf } from "../address.ts";
import { requireBatch } from "../device.ts";

/** The state of the last delivery to a device; `accepted` clears a suspicion. */
export interface DeviceState {
  readonly deviceId: string;
  readonly state: DeliveryState;
  /** True if the push service suspects the address. */
  readonly isSuspect: boolean;
  /** The address to store instead, as the push service reported it. */
  readonly learned?: Address;
}

/** Updates of at most 500 devices. Both times are milliseconds since the epoch. */
export interface DeviceStateUpdate {
  readonly at: number;
  /** When the addresses were read. A suspicion of an address that was registered again since then is ignored. */
  readonly readAt: number;
  readonly states: readonly DeviceState[];
}

/**
 * Returns the queries that record the updates of many deliveries. An older update never replaces a newer one.
 * Devices are locked in the order of their ids, so that two nodes cannot deadlock.
 */
export function recordDeviceStates(
  context: Context,
  updates: readonly DeviceStateUpdate[],
): readonly Compilable[] {
  const { db, engine } = context.database;
  const recorded = updates.flatMap((update) => recordDeviceState(context, update));
  const deviceIds = updates.flatMap(({ states }) => states.map(({ deviceId }) => deviceId));
  const ids = [...new Set(deviceIds)].toSorted();
  const queries: Compilable[] = [];
  for (let start = 0; start < ids.length; start += LOCKED_ROWS_MAX) {
    if (engine.keepRows === null || ids.length === 1) break;
    const batch = ids.slice(start, start + LOCKED_ROWS_MAX);
    const lockedRows = db.selectFrom("device").select("id").where("id", "in", batch).orderBy("id");
    queries.push(lockedRows.modifyEnd(engine.keepRows));
  }
  return [...queries, ...recorded];
}

/** PostgreSQL accepts at most 65,535 values in a statement. */
const LOCKED_ROWS_MAX = 5_000;

/** Returns the queries that record the updates of one delivery, one for all devices with the same state. */
export function recordDeviceState(
  context: Context,
  { at, readAt, states }: DeviceStateUpdate,
): readonly Compilable[] {
  requireBatch(states);
  const groups = Map.groupBy(states, ({ state, isSuspect }) => `${state} ${isSuspect}`);
  const addressUpdates = states.flatMap(({ deviceId, learned }) =>
    learned === undefined ? [] : [updateAddress(context, { deviceId, learned, readAt })],
  );
  const recorded = [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const query = context.database.db
      .updateTable("device")
      .set((eb) => ({
        last_state: first.state,
        last_state_at: at,
        ...(first.state === "accepted" ? { suspect_at: null } : {}),
        ...(first.isSuspect ? { suspect_at: eb.fn.coalesce("suspect_at", eb.val(at)) } : {}),
      }))
      .where(
        "id",
        "in",
        group.map(({ deviceId }) => deviceId),
      )
      .where(sql<number>`coalesce(last_state_at, 0)`, "<=", at)
      .where((eb) => (first.isSuspect ? eb.lit(true) : needsUpdate(first.state, at)));
    return [first.isSuspect ? query.where("registered_at", "<=", readAt) : query];
  });
  return [...recorded, ...addressUpdates];
}

/**
 * Skips repeated states. A device with many sends per second has the same state each time, and PostgreSQL keeps
 * every version of a row until no transaction can see it, which makes the row slow to read.
 */
function needsUpdate(state: DeliveryState, at: number) {
  return sql<boolean>`(last_state_at is null or last_state_at <= ${at - SAME_STATE_MS}
    or last_state <> ${state} or suspect_at is not null)`;
}

/** The interval at which an unchanged state is recorded again. */
const SAME_STATE_MS = 10_000;

/** Does nothing if the app has registered an address since `readAt`. */
function updateAddress(
  { database: { db } }: Context,
  { deviceId, learned, readAt }: { deviceId: string; learned: Address; readAt: number },
): Compilable {
  return db
    .updateTable("device")
    .set({ address: JSON.stringify(learned) })
    .where("id", "=", deviceId)
    .where("address_hash", "=", addressHashOf(learned))
    .where("registered_at", "<=", readAt)
    .where("retired_at", "is", null);
}
