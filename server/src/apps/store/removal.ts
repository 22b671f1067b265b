import { sql } from "kysely";
import type { DatabaseContext } from "#context.ts";
import { castToBigint, castToText } from "#database/compile-once.ts";
import type { Compilable } from "#database/database.ts";

/** Returns the statements that delete the apps of an account, with their secrets and mailboxes, to be committed with its end. */
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
    db.deleteFrom("app_secret").where("account_id", "=", accountId),
    db.deleteFrom("connected_app").where("account_id", "=", accountId),
  ];
}

/** Deletes the apps of devices that were removed, with their secrets and mailboxes. Ignores live devices. Idempotent. */
export async function deleteAppsOfRemovedDevices(
  { database }: DatabaseContext,
  deviceIds: readonly string[],
): Promise<void> {
  if (deviceIds.length === 0) return;
  const { db } = database;
  const removed = db
    .selectFrom("device")
    .select("id")
    .where("id", "in", deviceIds)
    .where("retired_at", "is not", null);
  await database.atomically([
    db.deleteFrom("mailbox").where("device_id", "in", removed),
    db.deleteFrom("app_secret").where("device_id", "in", removed),
    db.deleteFrom("connected_app").where("device_id", "in", removed),
  ]);
}

/**
 * Deletes up to `limit` apps whose devices were removed, for example if the process ended right after the removal. Returns
 * their number.
 */
export async function pruneApps(context: DatabaseContext, limit: number): Promise<number> {
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
