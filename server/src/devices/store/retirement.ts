import { sql } from "kysely";
import { SERVER, toChangedValue, type Actor } from "#audit/event.ts";
import { insertEventWhereQuery, runAndRecord } from "#audit/store.ts";
import type { Context } from "#context.ts";
import type { Compilable } from "#database/database.ts";
import { removeRetiredFromGroupsQuery } from "../groups/store.ts";
import { REMOVED_BY_OWNER } from "../left-devices/left-device.ts";
import { deleteNoticesQuery, insertNoticeQuery } from "../left-devices/store/notices.ts";
import type { OwnedDevice } from "./devices.ts";

/**
 * Retires a live device of the account, deletes its address and its action key, removes it from its groups, and records
 * an event. Returns false if there is no such device.
 */
export async function removeDevice(
  context: Context,
  { accountId, deviceId, actor }: OwnedDevice & { readonly actor: Actor },
): Promise<boolean> {
  const removal = retireDevicesQuery(context, REMOVED_BY_OWNER)
    .where("id", "=", deviceId)
    .where("account_id", "=", accountId)
    .returning("id");
  const removedRow = await runAndRecord(
    context,
    async (db) => {
      const { rows } = await db.executeQuery(removal.compile());
      await db.executeQuery(removeRetiredFromGroupsQuery(context, [deviceId]).compile());
      return rows[0];
    },
    () => ({ action: "device_removed", actor, accountId, subjectId: deviceId }),
  );
  return removedRow !== undefined;
}

/** A push service's report that an address is gone. */
export interface GoneReport {
  readonly accountId: string;
  readonly deviceId: string;
  /** The hash of the reported address. The report is ignored if the device has another one now. */
  readonly addressHash?: string;
  /** In milliseconds since the epoch. The report is ignored if the address was registered after this time. */
  readonly asOf: number;
  /** A code of the delivery log. */
  readonly reason: string;
  /** The notification whose delivery got the report. */
  readonly notificationId: string;
}

/**
 * Retires a device whose address is gone, records an audit event and stores a pending notice for its account, in one
 * commit. Returns false if the device was registered after `asOf`, has another address now, or is already retired.
 */
export async function retireGoneDevice(context: Context, report: GoneReport): Promise<boolean> {
  const { accountId, deviceId, reason, notificationId } = report;
  const { db, engine } = context.database;
  const isLeaving = matchesReport(report);
  const deviceExists = sql<boolean>`exists (select 1 from device where id = ${deviceId} and ${isLeaving})`;
  const changes = [toChangedValue("code", reason)];
  const event = {
    action: "device_left",
    actor: SERVER,
    accountId,
    subjectId: deviceId,
    changes,
  } as const;
  const lockedRow = db.selectFrom("device").select("id").where("id", "=", deviceId);
  // The event and the notice come before the retirement, because their queries require a live device.
  const preparation = [
    ...(engine.lockRows === null ? [] : [lockedRow.modifyEnd(engine.lockRows)]),
    insertEventWhereQuery(context, event, deviceExists),
    insertNoticeQuery(context, { deviceId, notificationId, isLeaving }),
  ];
  const retirement = retireDevicesQuery(context, reason)
    .where("id", "=", deviceId)
    .where(isLeaving)
    .returning("id");
  const cleanup = removeRetiredFromGroupsQuery(context, [deviceId]);
  const results = await context.database.atomically([...preparation, retirement, cleanup]);
  return results[preparation.length]?.rows.length === 1;
}

function matchesReport({ accountId, asOf, addressHash }: GoneReport) {
  const hasSameAddress =
    addressHash === undefined ? sql`` : sql` and address_hash = ${addressHash}`;
  return sql<boolean>`(account_id = ${accountId} and retired_at is null
    and registered_at <= ${asOf}${hasSameAddress})`;
}

/**
 * Returns the query that retires every device of an account, for the transaction that deletes or reclaims the account.
 */
export function retireAllDevicesQuery(context: Context, accountId: string): Compilable {
  return retireDevicesQuery(context, REMOVED_BY_OWNER).where("account_id", "=", accountId);
}

/**
 * Returns the queries that retire all devices of an account that is being deleted, and remove its groups and notices.
 * The rows of the devices remain, without name and address, for the delivery logs of teams.
 */
export function forgetDevicesQueries(context: Context, accountId: string): readonly Compilable[] {
  const { db } = context.database;
  const groupIds = db.selectFrom("device_group").select("id").where("account_id", "=", accountId);
  return [
    retireAllDevicesQuery(context, accountId),
    deleteNoticesQuery(context, accountId),
    db
      .updateTable("device")
      .set({ name: "Removed device", address: "{}", address_hash: "" })
      .where("account_id", "=", accountId),
    db.deleteFrom("device_group_member").where("group_id", "in", groupIds),
    db.deleteFrom("device_group").where("account_id", "=", accountId),
  ];
}

/** Returns the query that retires live devices and deletes their addresses and action keys. Callers add conditions. */
function retireDevicesQuery({ database: { db }, now }: Context, reason: string) {
  return db
    .updateTable("device")
    .set({ retired_at: now(), retired_reason: reason, address: "{}", action_key_hash: null })
    .where("retired_at", "is", null);
}
