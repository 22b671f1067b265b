import type { Migration } from "../migration.ts";

/**
 * What ended and is not yet added up in `activity`. There, everything that ends alike on a day is one row: on PostgreSQL each
 * change of it leaves the version before behind, for as long as any transaction might see it, and who looks for the row
 * passes by all of them.
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
      .modifyEnd(engine.isHot)
      .execute();
  },
};
