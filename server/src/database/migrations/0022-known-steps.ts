import type { Migration } from "../migration.ts";

/** What the version of a process knows, among those that share a PostgreSQL database: earlier ones than this say nothing. */
export const knownSteps: Migration = {
  name: "0022-known-steps",
  async up({ db, engine }) {
    if (engine.name === "sqlite") return;
    await db.schema.alterTable("node").addColumn("known_step", "text").execute();
  },
};
