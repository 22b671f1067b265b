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
  /** The push service suspects the address. */
  readonly isSuspect: boolean;
  /** The address to store instead, as the push service taught us. */
  readonly learned?: Address;
}

/** Updates of at most 500 devices; both moments are milliseconds since the epoch. */
export interface DeviceStateUpdate {
  readonly at: number;
  /** When the addresses were read. A suspicion does not count for an address that was registered again since. */
  readonly readAt: number;
  readonly states: readonly DeviceState[];
}

/**
 * Returns the queries that record the updates of many deliveries; an older update never replaces a newer one. Devices are
 * sorted first, so that two nodes cannot deadlock.
 */
export function recordDeviceStates(
  context: Context,
  news: readonly DeviceStateUpdate[],
): readonly Compilable[] {
  const { db, engine } = context.database;
  const recorded = news.flatMap((one) => recordDeviceState(context, one));
  const named = news.flatMap(({ states }) => states.map(({ deviceId }) => deviceId));
  const ids = [...new Set(named)].toSorted();
  const queries: Compilable[] = [];
  for (let start = 0; start < ids.length; start += KEPT_AT_ONCE) {
    if (engine.keepRows === null || ids.length === 1) break;
    const some = ids.slice(start, start + KEPT_AT_ONCE);
    const kept = db.selectFrom("device").select("id").where("id", "in", some).orderBy("id");
    queries.push(kept.modifyEnd(engine.keepRows));
  }
  return [...queries, ...recorded];
}

/** PostgreSQL takes at most 65,535 values in a statement. */
const KEPT_AT_ONCE = 5_000;

/** Returns the queries that record the updates of one delivery, one for all devices with the same state. */
export function recordDeviceState(
  context: Context,
  { at, readAt, states }: DeviceStateUpdate,
): readonly Compilable[] {
  requireBatch(states);
  const alike = Map.groupBy(states, ({ state, isSuspect }) => `${state} ${isSuspect}`);
  const lessons = states.flatMap(({ deviceId, learned }) =>
    learned === undefined ? [] : [learnAddress(context, { deviceId, learned, readAt })],
  );
  const recorded = [...alike.values()].flatMap((group) => {
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
      .where((is) => (first.isSuspect ? is.lit(true) : isNews(first.state, at)));
    return [first.isSuspect ? query.where("registered_at", "<=", readAt) : query];
  });
  return [...recorded, ...lessons];
}

/**
 * Skips repeated states: a device with many sends a second has the same state each time, and PostgreSQL keeps each version
 * of a row until no transaction can see it, which makes such a row slow to read.
 */
function isNews(state: DeliveryState, at: number) {
  return sql<boolean>`(last_state_at is null or last_state_at <= ${at - SAME_STATE_MS}
    or last_state <> ${state} or suspect_at is not null)`;
}

/** A state is not recorded again within this time. */
const SAME_STATE_MS = 10_000;

/** An address that the app registered since then wins. */
function learnAddress(
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
