import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { sql } from "kysely";
import { createDatabase, ON_POSTGRES, getDatabasePort } from "../../test/support/database.ts";
import { startTcpProxy } from "../../test/support/tcp-proxy.ts";
import type { Database } from "./database.ts";
import { openPostgres } from "./postgres.ts";

const CONNECTION_COUNT = 4;

/** How long each connection is busy at first, so that the pool opens one for each query. */
const FIRST_QUERY_SECONDS = 0.2;

/** Opens a database whose connections have all been used once, and no longer respond. New connections respond. */
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
  const firstQueries = Array.from({ length: CONNECTION_COUNT }, () =>
    runQuery(database, FIRST_QUERY_SECONDS),
  );
  await Promise.all(firstQueries);
  proxy.stall();
  proxy.forwardNewConnections();
  return database;
}

async function runQuery({ db }: Database, durationSeconds = 0): Promise<unknown> {
  return sql`select pg_sleep(${durationSeconds})`.execute(db);
}

async function runCommit(database: Database): Promise<unknown> {
  return database.atomically([{ compile: () => sql`select 1`.compile(database.db) }]);
}

for (const [name, useConnection] of Object.entries({ query: runQuery, commit: runCommit })) {
  test(
    `a ${name} that times out on one connection keeps the pool from using the other idle ones`,
    ON_POSTGRES,
    async (t) => {
      const database = await openStalledDatabase(t);
      await assert.rejects(useConnection(database), (error) =>
        database.engine.isUnavailable(error),
      );
      for (let round = 0; round < CONNECTION_COUNT; round += 1) {
        await runQuery(database);
        await runCommit(database);
      }
    },
  );
}
