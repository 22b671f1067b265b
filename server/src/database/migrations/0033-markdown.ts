import type { Migration } from "../migration.ts";

/** Whether the body of a notification is Markdown; what a node of an earlier version stores is not. */
export const markdown: Migration = {
  name: "0033-markdown",
  async up({ db }) {
    await db.schema
      .alterTable("notification")
      .addColumn("markdown", "integer", (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
