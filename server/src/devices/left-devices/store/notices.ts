import { sql, type RawBuilder } from "kysely";
import type { Context } from "#context.ts";
import type { Compilable } from "#database/database.ts";
import { IS_REGISTERED_AGAIN } from "./left-devices.ts";

/** Devices that leave within this time after the first device share one notice. */
export const NOTICE_WINDOW_MS = 10_000;

/** A row outlives its notice: while the notice is delivered, another device may be reported gone. */
const ROW_TTL_MS = 7 * 24 * 60 * 60_000;
/** The maximum number of accounts per pass. */
const ACCOUNTS_PER_PASS_MAX = 20;

/**
 * Returns the query that stores a pending notice about a device, for the transaction that retires the device. A device
 * that the delivery of a notice reports gone gets none, so that notices never cause further notices.
 */
export function insertNoticeQuery(
  { database: { db }, now }: Context,
  input: {
    readonly deviceId: string;
    /** The notification whose delivery reported the device gone. */
    readonly notificationId: string;
    /** An SQL condition that is true if the transaction retires the device. */
    readonly isLeaving: RawBuilder<boolean>;
  },
): Compilable {
  const { deviceId, notificationId, isLeaving } = input;
  const timestamp = now();
  const insert = sql`insert into left_device (device_id, account_id, left_at, run_at)
    select id, account_id, cast(${timestamp} as bigint), cast(${timestamp + NOTICE_WINDOW_MS} as bigint)
    from device where id = ${deviceId} and ${isLeaving} and not exists (
      select 1 from left_device as notified
      where notified.account_id = device.account_id and notified.notification_id = ${notificationId})
    on conflict (device_id) do nothing`;
  return { compile: () => insert.compile(db) };
}

/** A pending notice for one account, with its devices. */
export interface PendingNotice {
  readonly accountId: string;
  readonly notificationId: string;
  readonly devices: readonly { readonly name: string; readonly leftAt: number }[];
}

/**
 * Claims due notices for this process under a lease, and returns them. All pending devices of an account share one
 * notice.
 */
export async function claimNotices(
  context: Context,
  leaseMs: number,
): Promise<readonly PendingNotice[]> {
  const { database, now } = context;
  const dueRows = await database.db
    .selectFrom("left_device")
    .select(["account_id", "notification_id"])
    .distinct()
    .where("run_at", "<=", now())
    .limit(ACCOUNTS_PER_PASS_MAX)
    .execute();
  const claimedNotices: PendingNotice[] = [];
  for (const { account_id: accountId, notification_id: previousId } of dueRows) {
    // A notice that another process claimed keeps its id, because it may have been sent already.
    const notificationId = previousId ?? context.newId();
    // A new notice takes every pending row of the account, even one that is not due yet.
    const claim = database.db
      .updateTable("left_device")
      .set({ notification_id: notificationId, run_at: now() + leaseMs })
      .where("account_id", "=", accountId)
      .where("notification_id", previousId === null ? "is" : "=", previousId)
      .where("run_at", previousId === null ? "is not" : "<=", previousId === null ? null : now());
    const claimedRows = await claim.returning(["device_id", "left_at"]).execute();
    if (claimedRows.length === 0) continue;
    const devices = await loadDeviceNames(context, claimedRows);
    claimedNotices.push({ accountId, notificationId, devices });
  }
  return claimedNotices;
}

/**
 * Returns the devices with their names, in the order in which they left, without devices that are registered again
 * under the same address.
 */
async function loadDeviceNames(
  { database: { db } }: Context,
  claimedRows: readonly { readonly device_id: string; readonly left_at: number }[],
): Promise<PendingNotice["devices"]> {
  const ids = claimedRows.map((row) => row.device_id);
  const rows = await db
    .selectFrom("device")
    .select(["id", "name"])
    .where("id", "in", ids)
    .where((eb) => eb.not(IS_REGISTERED_AGAIN))
    .orderBy("retired_at")
    .orderBy("id")
    .execute();
  const leftAt = new Map(claimedRows.map((row) => [row.device_id, row.left_at]));
  return rows.map(({ id, name }) => ({ name, leftAt: leftAt.get(id) ?? 0 }));
}

/** Marks a notice as sent, and deletes old rows. */
export async function settleNotice(
  { database, now }: Context,
  notificationId: string,
): Promise<void> {
  const { db } = database;
  await database.atomically([
    db
      .updateTable("left_device")
      .set({ run_at: null })
      .where("notification_id", "=", notificationId),
    db
      .deleteFrom("left_device")
      .where("run_at", "is", null)
      .where("left_at", "<", now() - ROW_TTL_MS),
  ]);
}

/** Returns when the next notice is due, in milliseconds since the epoch; null if none is pending. */
export async function findNextNoticeAt({ database: { db } }: Context): Promise<number | null> {
  const row = await db
    .selectFrom("left_device")
    .select(({ fn }) => fn.min("run_at").as("at"))
    .executeTakeFirst();
  return row?.at ?? null;
}

/** Returns the query that deletes the notices of an account that is being deleted, pending or sent. */
export function deleteNoticesQuery({ database: { db } }: Context, accountId: string): Compilable {
  return db.deleteFrom("left_device").where("account_id", "=", accountId);
}
