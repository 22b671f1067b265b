import type { Migration } from "../migration.ts";

/**
 * Adds the last migration that each process on a shared PostgreSQL database knows; earlier versions leave the column
 * null. The name `known_step` is older than the word migration.
 */
export const knownSteps: Migration = {
  name: "0022-known-steps",
  async up({ db, engine }) {
    if (engine.name === "sqlite") return;
    await db.schema.alterTable("node").addColumn("known_step", "text").execute();
  },
};
