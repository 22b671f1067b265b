import assert from "node:assert/strict";
import test from "node:test";
import { sql } from "kysely";
import { pino } from "pino";
import { createDatabase, ON_SQLITE } from "../../test/support/database.ts";
import { openDatabase, openWithLongTimeouts } from "./open.ts";

test(
  "a database for long statements waits ten minutes for another process's lock, and any other database a second",
  ON_SQLITE,
  async (t) => {
    const { location } = await createDatabase(t);
    const databases = [
      openWithLongTimeouts(location),
      openDatabase(location, pino({ level: "silent" })),
    ];
    const timeouts = [];
    for (const database of databases) {
      t.after(() => database.close());
      const { rows } = await sql<{ timeout: number }>`pragma busy_timeout`.execute(database.db);
      timeouts.push(rows[0]?.timeout);
    }
    assert.deepEqual(timeouts, [600_000, 1_000]);
  },
);
