import type { Migration } from "../migration.ts";

/**
 * Adds daily counts of deliveries by audience, provider, outcome and pace, so that totals need not read the deliveries.
 * A pace is a bucket of the time until acceptance, see `toPace`.
 */
export const activity: Migration = {
  name: "0010-activity",
  async up({ db }) {
    await db.schema
      .createTable("activity")
      .addColumn("audience_id", "text", (column) => column.notNull())
      .addColumn("day", "integer", (column) => column.notNull())
      .addColumn("provider", "text", (column) => column.notNull())
      .addColumn("state", "text", (column) => column.notNull())
      .addColumn("code", "text", (column) => column.notNull())
      .addColumn("pace", "integer", (column) => column.notNull())
      .addColumn("count", "bigint", (column) => column.notNull())
      .addPrimaryKeyConstraint("activity_pk", [
        "audience_id",
        "day",
        "provider",
        "state",
        "code",
        "pace",
      ])
      .execute();
    // For totals of all audiences, and for deleting old days.
    await db.schema.createIndex("activity_by_day").on("activity").column("day").execute();
  },
};
