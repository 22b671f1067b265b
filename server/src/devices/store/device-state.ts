import { sql, type Kysely } from "kysely";
import type { DeliveryState } from "@tocsin/sdk";
import type { Context } from "#context.ts";
import { compileOncePerRowCount, type NonEmptyRows } from "#database/compile-once.ts";
import type { Compilable } from "#database/database.ts";
import type { Schema } from "#database/schema.ts";
import type { Address } from "#providers/provider.ts";
import { hashAddress } from "../address.ts";
import { requireBatchSize } from "../device.ts";

/** The state of the last delivery to a device; `accepted` clears a suspicion. */
export interface DeviceState {
  readonly deviceId: string;
  readonly state: DeliveryState;
  /** True if the push service suspects the address. */
  readonly isSuspect: boolean;
  /** The address to store instead, as the push service reported it. */
  readonly updatedAddress?: Address;
}

/** Updates of at most 500 devices. Both times are milliseconds since the epoch. */
export interface DeviceStateUpdate {
  /** The time of the states. */
  readonly at: number;
  /** When the addresses were read. A suspicion of an address that was registered again since then is ignored. */
  readonly readAt: number;
  readonly states: readonly DeviceState[];
}

/**
 * Returns the queries that record the updates of many deliveries. An older update never replaces a newer one.
 * Devices are locked in the order of their ids, so that two nodes cannot deadlock.
 */
export function recordDeviceUpdatesQueries(
  context: Context,
  updates: readonly DeviceStateUpdate[],
): readonly Compilable[] {
  const { db, engine } = context.database;
  const stateQueries = updates.flatMap((update) => recordDeviceStateQueries(context, update));
  const deviceIds = updates.flatMap(({ states }) => states.map(({ deviceId }) => deviceId));
  const ids = [...new Set(deviceIds)].toSorted();
  const queries: Compilable[] = [];
  for (let start = 0; start < ids.length; start += LOCKED_ROWS_MAX) {
    if (engine.lockRows === null || ids.length === 1) break;
    const batch = ids.slice(start, start + LOCKED_ROWS_MAX);
    const lockedRows = db.selectFrom("device").select("id").where("id", "in", batch).orderBy("id");
    queries.push(lockedRows.modifyEnd(engine.lockRows));
  }
  return [...queries, ...stateQueries];
}

/** PostgreSQL accepts at most 65,535 values in a statement. */
const LOCKED_ROWS_MAX = 5_000;

/**
 * Returns the queries that record the updates of one delivery: one for each state, and one for each updated address.
 */
export function recordDeviceStateQueries(
  context: Context,
  { at, readAt, states }: DeviceStateUpdate,
): readonly Compilable[] {
  requireBatchSize(states);
  const groups = Map.groupBy(states, ({ state, isSuspect }) => `${state} ${isSuspect}`);
  const addressUpdates = states.flatMap(({ deviceId, updatedAddress }) =>
    updatedAddress === undefined
      ? []
      : [updateAddressQuery(context, { deviceId, updatedAddress, readAt })],
  );
  const stateQueries = [...groups.values()].flatMap((group) => {
    const [first, ...others] = group.map(({ deviceId, state }): StateRow => {
      return { deviceId, state, at, readAt, repeatedAfter: at - SAME_STATE_INTERVAL_MS };
    });
    if (first === undefined) return [];
    const update = selectStateUpdate(first.state, group[0]?.isSuspect === true);
    return [update(context.database.db, [first, ...others])];
  });
  return [...stateQueries, ...addressUpdates];
}

/** A device and its state. All rows of a statement have the same state and times. */
type StateRow = {
  readonly deviceId: string;
  readonly state: DeliveryState;
  readonly at: number;
  readonly readAt: number;
  /** An unchanged state that was recorded after this time is not recorded again. */
  readonly repeatedAfter: number;
};

function selectStateUpdate(state: DeliveryState, isSuspect: boolean) {
  if (isSuspect) return recordSuspectState;
  return state === "accepted" ? recordAcceptedState : recordOtherState;
}

const recordSuspectState = compileOncePerRowCount<StateRow>((db, rows) =>
  updateState(db, rows)
    .set((eb) => ({ suspect_at: eb.fn.coalesce("suspect_at", eb.val(rows[0].at)) }))
    .where("registered_at", "<=", rows[0].readAt),
);

const recordAcceptedState = compileOncePerRowCount<StateRow>((db, rows) =>
  updateState(db, rows).set({ suspect_at: null }).where(isChangedState(rows[0])),
);

const recordOtherState = compileOncePerRowCount<StateRow>((db, rows) =>
  updateState(db, rows).where(isChangedState(rows[0])),
);

function updateState(db: Kysely<Schema>, rows: NonEmptyRows<StateRow>) {
  const [{ state, at }] = rows;
  const ids = rows.map(({ deviceId }) => deviceId);
  return db
    .updateTable("device")
    .set({ last_state: state, last_state_at: at })
    .where("id", "in", ids)
    .where(sql<number>`coalesce(last_state_at, 0)`, "<=", at);
}

/**
 * Returns the condition that skips repeated states. A device with many sends per second has the same state each time,
 * and PostgreSQL keeps every version of a row until no transaction can see it, which makes the row slow to read.
 */
function isChangedState({ state, repeatedAfter }: StateRow) {
  return sql<boolean>`(last_state_at is null or last_state_at <= ${repeatedAfter}
    or last_state <> ${state} or suspect_at is not null)`;
}

/** The minimum interval between two records of an unchanged state. */
const SAME_STATE_INTERVAL_MS = 10_000;

/** Returns the query that updates the address of a device, unless the app has registered one since `readAt`. */
function updateAddressQuery(
  { database: { db } }: Context,
  {
    deviceId,
    updatedAddress,
    readAt,
  }: { deviceId: string; updatedAddress: Address; readAt: number },
): Compilable {
  return db
    .updateTable("device")
    .set({ address: JSON.stringify(updatedAddress) })
    .where("id", "=", deviceId)
    .where("address_hash", "=", hashAddress(updatedAddress))
    .where("registered_at", "<=", readAt)
    .where("retired_at", "is", null);
}
