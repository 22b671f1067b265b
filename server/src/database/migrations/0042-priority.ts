import type { Migration } from "../migration.ts";

/** Adds the priority of a notification. Null is the default, which is all that nodes of an earlier version store. */
export const priority: Migration = {
  name: "0042-priority",
  async up({ db }) {
    await db.schema.alterTable("notification").addColumn("priority", "text").execute();
  },
};
