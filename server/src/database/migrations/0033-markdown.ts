import type { Migration } from "../migration.ts";

/** Marks notifications whose body is Markdown. Nodes of an earlier version store none. */
export const markdown: Migration = {
  name: "0033-markdown",
  async up({ db }) {
    await db.schema
      .alterTable("notification")
      .addColumn("markdown", "integer", (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
