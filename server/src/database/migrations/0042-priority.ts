import type { Migration } from "../migration.ts";

/** Adds the priority of a notification. Null means the default; nodes of an earlier version store nothing else. */
export const priority: Migration = {
  name: "0042-priority",
  async up({ db }) {
    await db.schema.alterTable("notification").addColumn("priority", "text").execute();
  },
};
