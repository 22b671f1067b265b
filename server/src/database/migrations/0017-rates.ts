import { sql } from "kysely";
import type { Migration } from "../migration.ts";

/**
 * Adds the rate limits of keys that all processes on a PostgreSQL database share, as leaky buckets, see node-tables.ts.
 * The table is unlogged, because a database crash may lose the buckets.
 */
export const rates: Migration = {
  name: "0017-rates",
  async up({ db, engine }) {
    if (engine.name === "sqlite") return;
    await sql`
      create unlogged table rate_bucket (
        key text collate "C" primary key, level double precision not null, at bigint not null
      ) with (fillfactor = 70)`.execute(db);
  },
};
