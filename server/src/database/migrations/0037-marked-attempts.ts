import type { Migration } from "../migration.ts";

/** Adds the mark of a quarantined job's current step, and the mark of the step at which its last process crashed: see delivery-tables.ts. */
export const markedAttempts: Migration = {
  name: "0037-marked-attempts",
  async up({ db }) {
    await db.schema.alterTable("send_job").addColumn("marked", "text").execute();
    await db.schema.alterTable("send_job").addColumn("suspected", "text").execute();
  },
};
