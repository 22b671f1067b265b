import { sql } from "kysely";
import type { Migration } from "../migration.ts";

/**
 * Adds the counters of attempt limits that all processes on a PostgreSQL database share, see node-tables.ts. The table
 * is unlogged, because a database crash may lose the counters. The names are older than the word attempt.
 */
export const tries: Migration = {
  name: "0018-tries",
  async up({ db, engine }) {
    if (engine.name === "sqlite") return;
    await sql`
      create unlogged table try_limit (
        key text collate "C" primary key, rested_at bigint not null
      ) with (fillfactor = 70)`.execute(db);
  },
};
