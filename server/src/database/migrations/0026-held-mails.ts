import type { Migration } from "../migration.ts";

/** How long a mail waits for more to say before its first attempt. */
export const heldMails: Migration = {
  name: "0026-held-mails",
  async up({ db }) {
    await db.schema
      .alterTable("mail_message")
      .addColumn("held_ms", "bigint", (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
