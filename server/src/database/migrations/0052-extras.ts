import type { Migration } from "../migration.ts";

/**
 * Adds the parts of a notification that only apps of other services can show. Nodes of an earlier version store none.
 */
export const extras: Migration = {
  name: "0052-extras",
  async up({ db }) {
    await db.schema.alterTable("notification").addColumn("extras", "text").execute();
  },
};
