import type { Migration } from "../migration.ts";

/** A mark says whether its account took the notification out of its feed: the row in the feed is everybody's. */
export const deletedEntries: Migration = {
  name: "0009-deleted-entries",
  async up({ db }) {
    await db.schema.alterTable("feed_read").addColumn("deleted_at", "bigint").execute();
  },
};
