import type { Migration } from "../migration.ts";

/** Stores the address of a notification's small picture; nodes of an earlier version store none. */
export const icon: Migration = {
  name: "0036-icon",
  async up({ db }) {
    await db.schema.alterTable("notification").addColumn("icon", "text").execute();
  },
};
