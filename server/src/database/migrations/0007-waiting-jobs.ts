import type { Migration } from "../migration.ts";

/** Adds the waits of jobs for push services. The recovery of a service makes the jobs due that wait for it. */
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
