import type { Migration } from "../migration.ts";

/** Adds the jobs that wait for a push service, so that its recovery can make them due. */
export const waitingJobs: Migration = {
  name: "0007-waiting-jobs",
  async up({ db }) {
    await db.schema
      .createTable("send_job_wait")
      .addColumn("job_id", "text", (column) => column.notNull())
      .addColumn("service", "text", (column) => column.notNull())
      .addPrimaryKeyConstraint("send_job_wait_key", ["job_id", "service"])
      .execute();
    await db.schema
      .createIndex("send_job_wait_service")
      .on("send_job_wait")
      .columns(["service", "job_id"])
      .execute();
  },
};
