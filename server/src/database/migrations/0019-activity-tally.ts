import type { Migration } from "../migration.ts";

/**
 * Adds outcome counters that are not yet added to `activity`. There, all deliveries with the same outcome on a day
 * share one row. On PostgreSQL each update leaves the old version of the row for as long as any transaction might see
 * it, and a lookup of the row scans all of them.
 */
export const activityTally: Migration = {
  name: "0019-activity-tally",
  async up({ db, engine }) {
    await db.schema
      .createTable("activity_tally")
      .addColumn("id", "text", (column) => column.primaryKey())
      .addColumn("audience_id", "text", (column) => column.notNull())
      .addColumn("day", "integer", (column) => column.notNull())
      .addColumn("provider", "text", (column) => column.notNull())
      .addColumn("state", "text", (column) => column.notNull())
      .addColumn("code", "text", (column) => column.notNull())
      .addColumn("pace", "integer", (column) => column.notNull())
      .addColumn("count", "bigint", (column) => column.notNull())
      .modifyEnd(engine.frequentlyUpdated)
      .execute();
  },
};
