import type { Migration } from "../migration.ts";

/** Adds the hashes of email addresses whose owners refuse invitation emails. */
export const refusedMails: Migration = {
  name: "0024-refused-mails",
  async up({ db }) {
    await db.schema
      .createTable("mail_refusal")
      .addColumn("address_hash", "text", (column) => column.primaryKey())
      .addColumn("refused_at", "bigint", (column) => column.notNull())
      .execute();
  },
};
