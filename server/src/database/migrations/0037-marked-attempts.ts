import type { Migration } from "../migration.ts";

/**
 * Adds two columns for jobs in quarantine. A step of such a job is an attempt at one device, or one reading or
 * expansion of its audience. `marked` names the step that is running, and `suspected` the step during which the last
 * process died; see `StepMark` in delivery.ts. The stored name of this migration is older than the word step.
 */
export const markedSteps: Migration = {
  name: "0037-marked-attempts",
  async up({ db }) {
    await db.schema.alterTable("send_job").addColumn("marked", "text").execute();
    await db.schema.alterTable("send_job").addColumn("suspected", "text").execute();
  },
};
