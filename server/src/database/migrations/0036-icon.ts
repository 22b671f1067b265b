import type { Migration } from "../migration.ts";

/** Adds the URL of a notification's icon. Nodes of an earlier version store none. */
export const icon: Migration = {
  name: "0036-icon",
  async up({ db }) {
    await db.schema.alterTable("notification").addColumn("icon", "text").execute();
  },
};
