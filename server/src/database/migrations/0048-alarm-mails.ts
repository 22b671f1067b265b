import type { Migration } from "../migration.ts";

/**
 * Adds the number of a person's alarms in an hour, and how many of those without an email of their own a summary has
 * counted (`told_count`), see mail-tables.ts.
 */
export const alarmMails: Migration = {
  name: "0048-alarm-mails",
  async up({ db }) {
    await db.schema
      .createTable("alarm_mail_hour")
      .addColumn("account_id", "text", (column) => column.notNull())
      .addColumn("starts_at", "bigint", (column) => column.notNull())
      .addColumn("alarm_count", "integer", (column) => column.notNull())
      .addColumn("told_count", "integer", (column) => column.notNull())
      .addPrimaryKeyConstraint("alarm_mail_hour_pk", ["account_id", "starts_at"])
      .execute();
    // For `pruneAlarmMailHours`.
    await db.schema
      .createIndex("alarm_mail_hour_by_start")
      .on("alarm_mail_hour")
      .column("starts_at")
      .execute();
  },
};
