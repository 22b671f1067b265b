import { sql } from "kysely";
import type { Migration } from "../migration.ts";

/** Jobs that a push service keeps waiting, so that its recovery can make them due. */
export const waitingJobs: Migration = {
  name: "0007-waiting-jobs",
  async up({ db }) {
    await db.schema
      .alterTable("send_job")
      .addColumn("waits_for", "text", (column) => column.notNull().defaultTo(""))
      .execute();
    // Nothing of what is sent at once enters it.
    await db.schema
      .createIndex("send_job_waits_for")
      .on("send_job")
      .column("waits_for")
      .where(sql<boolean>`waits_for <> ''`)
      .execute();
  },
};
