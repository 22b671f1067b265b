import type { Migration } from "../migration.ts";

/** Adds the last migration that each process on a shared PostgreSQL database knows. Earlier versions leave it null. */
export const knownSteps: Migration = {
  name: "0022-known-steps",
  async up({ db, engine }) {
    if (engine.name === "sqlite") return;
    await db.schema.alterTable("node").addColumn("known_step", "text").execute();
  },
};
