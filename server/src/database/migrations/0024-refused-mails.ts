import type { Migration } from "../migration.ts";

/** Creates the table of e-mail addresses whose owners refuse invitation mails. It holds only hashes. */
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
