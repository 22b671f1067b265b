import { sql } from "kysely";
import type { Migration, MigrationTarget } from "../migration.ts";

/** Adds connected apps, the secrets with which they sign in, and their mailboxes. */
export const connectedApps: Migration = {
  name: "0054-connected-apps",
  async up(target) {
    await createAppTables(target);
    await createMailbox(target);
  },
};

async function createAppTables({ db, engine }: MigrationTarget): Promise<void> {
  await db.schema
    .createTable("connected_app")
    .addColumn("device_id", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) => column.notNull())
    .addColumn("client", "text", (column) => column.notNull())
    .addColumn("topic", "text", (column) => column.notNull())
    .addColumn("last_number", "bigint", (column) => column.notNull())
    .addColumn("channels", "text")
    .addColumn("node_id", "text")
    .addColumn("connected_at", "bigint")
    .addColumn("disconnected_at", "bigint")
    .modifyEnd(engine.frequentlyUpdated)
    .execute();
  // For `countStreamingDevices`, the export, and the end of an account.
  await db.schema
    .createIndex("connected_app_by_account")
    .on("connected_app")
    .column("account_id")
    .execute();
  // For `forgetNodes`.
  await db.schema
    .createIndex("connected_app_by_node")
    .on("connected_app")
    .column("node_id")
    .where(sql.ref("node_id"), "is not", null)
    .execute();
  await db.schema
    .createTable("app_secret")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("device_id", "text", (column) => column.notNull())
    .addColumn("account_id", "text", (column) => column.notNull())
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("secret_hash", "text", (column) => column.notNull().unique())
    .addColumn("label", "text")
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex("app_secret_by_device")
    .on("app_secret")
    .column("device_id")
    .execute();
  // For `countSecrets`, and the end of an account.
  await db.schema
    .createIndex("app_secret_by_account")
    .on("app_secret")
    .column("account_id")
    .execute();
}

/** On SQLite, the rows are stored in their primary key, as in migration 0039. */
async function createMailbox({ db, engine }: MigrationTarget): Promise<void> {
  await db.schema
    .createTable("mailbox")
    .addColumn("device_id", "text", (column) => column.notNull())
    .addColumn("number", "bigint", (column) => column.notNull())
    .addColumn("notification_id", "text", (column) => column.notNull())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .addColumn("put_at", "bigint", (column) => column.notNull())
    .addColumn("taken_at", "bigint")
    .addColumn("how", "text")
    .addColumn("removed_at", "bigint")
    .addPrimaryKeyConstraint("mailbox_key", ["device_id", "number"])
    .modifyEnd(engine.name === "sqlite" ? sql`without rowid` : engine.frequentlyUpdated)
    .execute();
  // A message is in each mailbox once. The notification comes first for its deletion and for the delivery log.
  await db.schema
    .createIndex("mailbox_by_notification")
    .unique()
    .on("mailbox")
    .columns(["notification_id", "device_id"])
    .execute();
  // For the messages that an app is owed.
  await db.schema
    .createIndex("mailbox_owed")
    .on("mailbox")
    .columns(["device_id", "number"])
    .where(sql.ref("taken_at"), "is", null)
    .execute();
  // For `listRecentlyPut` and `countOwed`.
  await db.schema
    .createIndex("mailbox_owed_by_time")
    .on("mailbox")
    .columns(["put_at", "expires_at", "device_id"])
    .where(sql.ref("taken_at"), "is", null)
    .execute();
}
