import assert from "node:assert/strict";
import test from "node:test";
import { sql } from "kysely";
import { ON_POSTGRES, openTestDatabase } from "../../test/support/database.ts";

test(
  "every connection has the settings that make PostgreSQL close it once its client is gone",
  ON_POSTGRES,
  async (t) => {
    const { db } = await openTestDatabase(t);
    const readSettings = () =>
      sql<{ name: string; setting: string }>`
      select name, setting from pg_settings
      where name in ('idle_session_timeout', 'tcp_keepalives_idle') order by name
    `.execute(db);
    // The queries run concurrently, so each gets its own connection.
    const settings = await Promise.all(
      [readSettings(), readSettings()].map(async (reading) => (await reading).rows),
    );
    for (const rows of settings) {
      assert.deepEqual(rows, [
        { name: "idle_session_timeout", setting: "30000" },
        { name: "tcp_keepalives_idle", setting: "10" },
      ]);
    }
  },
);
