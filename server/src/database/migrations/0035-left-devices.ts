import type { Migration } from "../migration.ts";

/**
 * Adds devices that their push services reported as gone. Each row is kept until shortly after the owner is notified.
 * `left_at` is the time of the report.
 */
export const leftDevices: Migration = {
  name: "0035-left-devices",
  async up({ db }) {
    await db.schema
      .createTable("left_device")
      .addColumn("device_id", "text", (column) => column.primaryKey())
      .addColumn("account_id", "text", (column) => column.notNull())
      .addColumn("left_at", "bigint", (column) => column.notNull())
      .addColumn("run_at", "bigint")
      .addColumn("notification_id", "text")
      .execute();
    // For `insertNoticeQuery`: a device that a notice finds gone causes no further notice.
    await db.schema
      .createIndex("left_device_by_account")
      .on("left_device")
      .columns(["account_id", "notification_id"])
      .execute();
    // For `claimNotices`.
    await db.schema.createIndex("left_device_due").on("left_device").column("run_at").execute();
  },
};
