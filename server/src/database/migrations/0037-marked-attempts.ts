import type { Migration } from "../migration.ts";

/** Names the attempt that is under way for a job in quarantine, and the one at which its last process died. */
export const markedAttempts: Migration = {
  name: "0037-marked-attempts",
  async up({ db }) {
    await db.schema.alterTable("send_job").addColumn("marked", "text").execute();
    await db.schema.alterTable("send_job").addColumn("suspected", "text").execute();
  },
};
