import type { Migration } from "../migration.ts";

/** Adds marks for entries that an account deleted from its feed. The row of the feed belongs to the whole audience. */
export const deletedEntries: Migration = {
  name: "0009-deleted-entries",
  async up({ db }) {
    await db.schema.alterTable("feed_read").addColumn("deleted_at", "bigint").execute();
  },
};
