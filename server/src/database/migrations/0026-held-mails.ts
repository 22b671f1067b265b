import type { Migration } from "../migration.ts";

/**
 * Adds the delay of an email's first attempt. During the delay, the email is held, and more can be added to its text.
 */
export const heldMails: Migration = {
  name: "0026-held-mails",
  async up({ db }) {
    await db.schema
      .alterTable("mail_message")
      .addColumn("held_ms", "bigint", (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
