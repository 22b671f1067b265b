import type { Migration } from "../migration.ts";

/** Adds the outbox for emails. */
export const mail: Migration = {
  name: "0006-mail",
  async up({ db }) {
    await db.schema
      .createTable("mail_message")
      .addColumn("id", "text", (column) => column.primaryKey())
      .addColumn("purpose", "text", (column) => column.notNull())
      .addColumn("recipient", "text", (column) => column.notNull())
      .addColumn("subject", "text", (column) => column.notNull())
      .addColumn("text", "text", (column) => column.notNull())
      .addColumn("link", "text", (column) => column.notNull())
      .addColumn("created_at", "bigint", (column) => column.notNull())
      .addColumn("run_at", "bigint", (column) => column.notNull())
      .addColumn("attempts", "integer", (column) => column.notNull())
      .execute();
    await db.schema.createIndex("mail_message_due").on("mail_message").column("run_at").execute();
  },
};
