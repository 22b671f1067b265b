import { sql } from "kysely";
import type { Migration } from "../migration.ts";

/**
 * Adds limits on repeated tries, over all processes on a PostgreSQL database. Unlogged, because a database crash may
 * lose them.
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
