import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { sql } from "kysely";
import { createDatabase, ON_POSTGRES, getDatabasePort } from "../../test/support/database.ts";
import { startTcpProxy } from "../../test/support/tcp-proxy.ts";
import type { Database } from "./database.ts";
import { openPostgres } from "./postgres.ts";

const CONNECTION_COUNT = 4;

/** Opens a database whose connections have all stalled for good after their first use. */
async function openStalledDatabase(t: TestContext): Promise<Database> {
  const { location, acquire, release } = await createDatabase(t);
  const proxy = await startTcpProxy(t, getDatabasePort());
  const url = new URL(location.kind === "postgres" ? location.url : "");
  url.port = String(proxy.port);
  const database = openPostgres({ url: url.href, connectionsMax: CONNECTION_COUNT });
  acquire();
  t.after(async () => {
    // A stalled connection never answers the termination message.
    proxy.closeConnections();
    await database.close();
    await release();
  });
  const firstUses = Array.from({ length: CONNECTION_COUNT }, () => runQuery(database, 0.2));
  await Promise.all(firstUses);
  proxy.stall();
  proxy.forwardNewConnections();
  return database;
}

async function runQuery({ db }: Database, seconds = 0): Promise<unknown> {
  return sql`select pg_sleep(${seconds})`.execute(db);
}

async function runCommit(database: Database): Promise<unknown> {
  return database.atomically([{ compile: () => sql`select 1`.compile(database.db) }]);
}

for (const [name, use] of Object.entries({ query: runQuery, commit: runCommit })) {
  test(
    `after one connection times out, idle ones are not used either (${name})`,
    ON_POSTGRES,
    async (t) => {
      const database = await openStalledDatabase(t);
      await assert.rejects(use(database), (error) => database.engine.isUnavailable(error));
      for (let time = 0; time < CONNECTION_COUNT; time += 1) {
        await runQuery(database);
        await runCommit(database);
      }
    },
  );
}
