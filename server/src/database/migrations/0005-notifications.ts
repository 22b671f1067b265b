import { sql, type Kysely } from "kysely";
import type { Schema } from "../schema.ts";
import { DAY_TABLE_NAMES, formatBounds, getCatchAllPartitionName } from "../day-partitions.ts";
import type { Migration, MigrationTarget } from "../migration.ts";

/**
 * Adds notifications, their feed entries, jobs and outcomes, and idempotency records. Accepting a notification only
 * adds rows. Only the feed's indexes begin with an account or audience. The columns of jobs, such as `lane` and
 * `epoch`, are explained in delivery-tables.ts, those of notifications in schema.ts.
 */
export const notifications: Migration = {
  name: "0005-notifications",
  async up(target) {
    await createNotificationTable(target);
    await createFeedEntryTable(target);
    await createFeedReadTable(target);
    await createSendJobTable(target);
    await createDeliveryPageTable(target);
    await createIdempotencyTable(target);
    await createCatchAllPartitions(target);
  },
};

async function createNotificationTable({ db, engine }: MigrationTarget): Promise<void> {
  await db.schema
    .createTable("notification")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("audience_kind", "text", (column) => column.notNull())
    .addColumn("audience_id", "text", (column) => column.notNull())
    .addColumn("group_id", "text")
    .addColumn("device_id", "text")
    .addColumn("key_id", "text")
    .addColumn("title", "text", (column) => column.notNull())
    .addColumn("body", "text", (column) => column.notNull())
    .addColumn("sound", "text")
    .addColumn("channel", "text", (column) => column.notNull())
    .addColumn("link", "text")
    .addColumn("image", "text")
    .addColumn("time_sensitive", "integer", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .addColumn("device_count", "integer")
    .modifyEnd(engine.partitionedByDay("id"))
    .execute();
}

async function createFeedEntryTable({ db, engine }: MigrationTarget): Promise<void> {
  await db.schema
    .createTable("feed_entry")
    .addColumn("audience_id", "text", (column) => column.notNull())
    .addColumn("notification_id", "text", (column) => column.notNull())
    .addColumn("channel", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("feed_entry_pk", ["audience_id", "notification_id"])
    .modifyEnd(engine.partitionedByDay("notification_id"))
    .execute();
  // Finds one channel of a feed, and counts its channels without reading the table.
  await db.schema
    .createIndex("feed_entry_by_channel")
    .on("feed_entry")
    .columns(["audience_id", "channel", "notification_id", "created_at"])
    .execute();
  if (engine.name === "sqlite") await indexByNotification(db, "feed_entry");
}

/**
 * Retention deletes rows by notification. Tables with daily partitions drop whole days and need no such index. Without
 * statistics, the planner would also choose it, and read all accounts' entries of a day.
 */
async function indexByNotification(
  db: Kysely<Schema>,
  table: "feed_entry" | "feed_read",
): Promise<void> {
  await db.schema
    .createIndex(`${table}_by_notification`)
    .on(table)
    .column("notification_id")
    .execute();
}

async function createFeedReadTable({ db, engine }: MigrationTarget): Promise<void> {
  await db.schema
    .createTable("feed_read")
    .addColumn("account_id", "text", (column) => column.notNull())
    .addColumn("notification_id", "text", (column) => column.notNull())
    .addColumn("read_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("feed_read_pk", ["account_id", "notification_id"])
    .modifyEnd(engine.partitionedByDay("notification_id"))
    .execute();
  if (engine.name === "sqlite") await indexByNotification(db, "feed_read");
}

async function createSendJobTable({ db, engine }: MigrationTarget): Promise<void> {
  await db.schema
    .createTable("send_job")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("notification_id", "text", (column) => column.notNull())
    .addColumn("lane", "integer", (column) => column.notNull())
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("range_after", "text", (column) => column.notNull())
    .addColumn("range_up_to", "text", (column) => column.notNull())
    .addColumn("pending", "text")
    .addColumn("run_at", "bigint", (column) => column.notNull())
    .addColumn("epoch", "integer", (column) => column.notNull())
    .addColumn("crashes", "integer", (column) => column.notNull())
    .addColumn("owner", "text", (column) => column.notNull())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .modifyEnd(engine.frequentlyUpdated)
    .execute();
  await db.schema
    .createIndex("send_job_due")
    .on("send_job")
    .columns(["lane", "run_at", "id"])
    .execute();
  await db.schema
    .createIndex("send_job_by_notification")
    .on("send_job")
    .column("notification_id")
    .execute();
}

async function createDeliveryPageTable({ db, engine }: MigrationTarget): Promise<void> {
  await db.schema
    .createTable("delivery_page")
    .addColumn("notification_id", "text", (column) => column.notNull())
    .addColumn("id", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("results", "text", (column) => column.notNull())
    .addColumn("counts", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("delivery_page_pk", ["notification_id", "id"])
    .modifyEnd(engine.partitionedByDay("notification_id"))
    .execute();
}

async function createIdempotencyTable({ db }: MigrationTarget): Promise<void> {
  await db.schema
    .createTable("idempotency")
    .addColumn("key_id", "text", (column) => column.notNull())
    .addColumn("key_hash", "text", (column) => column.notNull())
    .addColumn("content_hash", "text", (column) => column.notNull())
    .addColumn("notification_id", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("idempotency_pk", ["key_id", "key_hash"])
    .execute();
  await db.schema
    .createIndex("idempotency_by_age")
    .on("idempotency")
    .column("created_at")
    .execute();
}

/**
 * Adds one partition to each table, which holds all days. A server splits it into days when it starts, because it knows
 * the current day.
 */
async function createCatchAllPartitions({ db, engine }: MigrationTarget): Promise<void> {
  if (engine.name === "sqlite") return;
  for (const table of DAY_TABLE_NAMES) {
    await sql`create table ${sql.table(getCatchAllPartitionName(table))} partition of ${sql.table(table)}
      for values ${sql.raw(formatBounds({ from: null, to: null }))}`.execute(db);
  }
}
