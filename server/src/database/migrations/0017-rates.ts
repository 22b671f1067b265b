import { sql } from "kysely";
import type { Migration } from "../migration.ts";

/** How fast each key asks, over all processes on a PostgreSQL database. A crash of it may forget that: unlogged. */
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
