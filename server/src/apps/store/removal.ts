import { sql } from "kysely";
import type { Context, DatabaseContext } from "#context.ts";
import { castToBigint, castToText } from "#database/compile-once.ts";
import type { Compilable } from "#database/database.ts";
import { KEPT_PREFIX } from "#delivery/delivery.ts";
import { endWaitsQueries } from "#delivery/store/waiting.ts";

/**
 * Returns the statements that delete the apps of an account, with their secrets and mailboxes, when the account ends.
 */
export function deleteAppsOfAccountQueries(
  { database: { db } }: DatabaseContext,
  accountId: string,
): readonly Compilable[] {
  const deviceIds = db
    .selectFrom("connected_app")
    .select("device_id")
    .where("account_id", "=", accountId);
  return [
    db.deleteFrom("mailbox").where("device_id", "in", deviceIds),
    // Waits for a secret that is being added, which the next statement then deletes.
    db.deleteFrom("connected_app").where("account_id", "=", accountId),
    db.deleteFrom("app_secret").where("account_id", "=", accountId),
  ];
}

/**
 * Deletes the apps of devices that were removed, with their secrets and mailboxes, and makes the jobs due that wait for
 * these apps. Ignores live devices. Idempotent. Returns whether any job is due.
 */
export async function deleteAppsOfRemovedDevices(
  context: Context,
  deviceIds: readonly string[],
): Promise<boolean> {
  if (deviceIds.length === 0) return false;
  const { database } = context;
  const { db } = database;
  const rows = await db
    .selectFrom("device")
    .select("id")
    .where("id", "in", deviceIds)
    .where("retired_at", "is not", null)
    .execute();
  if (rows.length === 0) return false;
  // A removed device stays removed, so no lock is necessary.
  const ids = rows.map(({ id }) => id);
  const services = ids.map((id) => `${KEPT_PREFIX}${id}`);
  // Changes messages before jobs, as the recording of proofs does, so that the two cannot deadlock.
  const [, dueJobs] = await database.atomically([
    db.deleteFrom("mailbox").where("device_id", "in", ids),
    ...endWaitsQueries(context, services),
    // Waits for a secret that is being added, which the next statement then deletes.
    db.deleteFrom("connected_app").where("device_id", "in", ids),
    db.deleteFrom("app_secret").where("device_id", "in", ids),
  ]);
  return (dueJobs?.rows.length ?? 0) > 0;
}

/**
 * Deletes up to `limit` apps whose devices were removed: the process may have ended right after the removal. Returns
 * their number.
 */
export async function pruneApps(context: Context, limit: number): Promise<number> {
  const rows = await context.database.db
    .selectFrom("connected_app")
    .innerJoin("device", "device.id", "connected_app.device_id")
    .select("connected_app.device_id as id")
    .where("device.retired_at", "is not", null)
    .limit(limit)
    .execute();
  await deleteAppsOfRemovedDevices(
    context,
    rows.map(({ id }) => id),
  );
  return rows.length;
}

/** Deletes up to `limit` messages whose notifications were deleted, with ids below `before`. Returns their number. */
export async function pruneMailbox(
  { database: { db } }: DatabaseContext,
  { before, limit }: { readonly before: string; readonly limit: number },
): Promise<number> {
  const rows = await db
    .selectFrom("mailbox")
    .select(["device_id", "number"])
    .where("notification_id", "<", before)
    .where((eb) => {
      const notifications = eb
        .selectFrom("notification")
        .select("notification.id")
        .whereRef("notification.id", "=", "mailbox.notification_id");
      return eb.not(eb.exists(notifications));
    })
    .limit(limit)
    .execute();
  if (rows.length === 0) return 0;
  const keys = rows.map(
    ({ device_id, number }) => sql`(${castToText(device_id)}, ${castToBigint(number)})`,
  );
  await db
    .deleteFrom("mailbox")
    .where(sql<boolean>`(device_id, number) in (values ${sql.join(keys)})`)
    .execute();
  return rows.length;
}
