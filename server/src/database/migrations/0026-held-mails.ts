import type { Migration } from "../migration.ts";

/** Adds the delay of a mail's first attempt, during which more can be added to the mail: until then, the mail is held. */
export const heldMails: Migration = {
  name: "0026-held-mails",
  async up({ db }) {
    await db.schema
      .alterTable("mail_message")
      .addColumn("held_ms", "bigint", (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
