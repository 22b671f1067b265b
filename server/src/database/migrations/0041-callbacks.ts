import type { Migration } from "../migration.ts";

/** Adds the outbox of callbacks, and the secrets that sign them. */
export const callbacks: Migration = {
  name: "0041-callbacks",
  async up({ db }) {
    await db.schema
      .createTable("callback")
      .addColumn("id", "text", (column) => column.primaryKey())
      .addColumn("source_id", "text", (column) => column.notNull())
      .addColumn("event", "text", (column) => column.notNull())
      .addColumn("subject_id", "text", (column) => column.notNull())
      .addColumn("url", "text", (column) => column.notNull())
      .addColumn("payload", "text", (column) => column.notNull())
      .addColumn("created_at", "bigint", (column) => column.notNull())
      .addColumn("run_at", "bigint")
      .addColumn("attempts", "integer", (column) => column.notNull())
      .addColumn("failed_at", "bigint")
      .addColumn("last_failure", "text")
      .execute();
    // For `claimCallbacks`.
    await db.schema.createIndex("callback_due").on("callback").column("run_at").execute();
    // For `listUndelivered`.
    await db.schema
      .createIndex("callback_by_subject")
      .on("callback")
      .column("subject_id")
      .execute();
    // For `endSourcesQueries` and `eraseSourcesQueries`.
    await db.schema.createIndex("callback_by_source").on("callback").column("source_id").execute();
    // For `pruneFailedCallbacks`.
    await db.schema.createIndex("callback_failed").on("callback").column("failed_at").execute();
    await db.schema
      .createTable("callback_secret")
      .addColumn("id", "text", (column) => column.primaryKey())
      .addColumn("source_id", "text", (column) => column.notNull())
      .addColumn("secret", "text", (column) => column.notNull())
      .addColumn("created_at", "bigint", (column) => column.notNull())
      .addColumn("expires_at", "bigint")
      .execute();
    // For `findSecrets`.
    await db.schema
      .createIndex("callback_secret_by_source")
      .on("callback_secret")
      .column("source_id")
      .execute();
  },
};
