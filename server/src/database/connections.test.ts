import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { sql } from "kysely";
import { createDatabase, ON_POSTGRES, databasePort } from "../../test/support/database.ts";
import { startTcpProxy } from "../../test/support/tcp-proxy.ts";
import type { Database } from "./database.ts";
import { openPostgres } from "./postgres.ts";

const CONNECTIONS = 4;

/** Opens a database whose connections have all stalled for good after their first use. */
async function openStalled(t: TestContext): Promise<Database> {
  const { place, hold, letGo } = await createDatabase(t);
  const proxy = await startTcpProxy(t, databasePort());
  const url = new URL(place.kind === "postgres" ? place.url : "");
  url.port = String(proxy.port);
  const database = openPostgres({ url: url.href, connectionsMax: CONNECTIONS });
  hold();
  t.after(async () => {
    // A stalled connection never answers the termination message.
    proxy.cut();
    await database.close();
    await letGo();
  });
  const uses = Array.from({ length: CONNECTIONS }, () => query(database, 0.2));
  await Promise.all(uses);
  proxy.stall();
  proxy.letNewThrough();
  return database;
}

async function query({ db }: Database, seconds = 0): Promise<unknown> {
  return sql`select pg_sleep(${seconds})`.execute(db);
}

async function commit(database: Database): Promise<unknown> {
  return database.atomically([{ compile: () => sql`select 1`.compile(database.db) }]);
}

for (const [name, use] of Object.entries({ query, commit })) {
  test(
    `after one connection times out, idle ones are not used either (${name})`,
    ON_POSTGRES,
    async (t) => {
      const database = await openStalled(t);
      await assert.rejects(use(database), (error) => database.engine.isUnavailable(error));
      for (let time = 0; time < CONNECTIONS; time += 1) {
        await query(database);
        await commit(database);
      }
    },
  );
}
