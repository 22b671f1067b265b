import type { Migration } from "../migration.ts";

/** Adds the current attempt of a job in quarantine, and the attempt at which its last process crashed. */
export const markedAttempts: Migration = {
  name: "0037-marked-attempts",
  async up({ db }) {
    await db.schema.alterTable("send_job").addColumn("marked", "text").execute();
    await db.schema.alterTable("send_job").addColumn("suspected", "text").execute();
  },
};
