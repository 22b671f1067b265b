import assert from "node:assert/strict";
import test from "node:test";
import { sql } from "kysely";
import { InDoubtError } from "./in-doubt-error.ts";
import { openPostgres } from "./postgres.ts";
import { createDatabase, ON_POSTGRES } from "../../test/support/database.ts";
import { startTcpProxy } from "../../test/support/tcp-proxy.ts";
import { runUntilCertain } from "./run-until-certain.ts";

test("a repeated write is not undone by its delayed first attempt", ON_POSTGRES, async (t) => {
  const { location, acquire, release } = await createDatabase(t);
  const url = new URL(location.kind === "postgres" ? location.url : "");
  const proxy = await startTcpProxy(t, Number(url.port));
  url.port = String(proxy.port);
  const database = openPostgres({ url: url.href });
  acquire();
  t.after(async () => {
    proxy.closeConnections();
    await database.close();
    await release();
  });
  await sql`create table counter (number bigint)`.execute(database.db);
  await sql`insert into counter values (0)`.execute(database.db);
  const write = (number: number) => {
    const query = sql`update counter set number = ${number}`;
    return database.atomically([{ compile: () => query.compile(database.db) }]);
  };
  await write(1);
  proxy.stall();
  const pendingWrite = runUntilCertain(() => write(2));
  // The delay is longer than the timeout of a response.
  const restoreTimer = setTimeout(() => proxy.forwardNewConnections(), 2_500);
  t.after(() => clearTimeout(restoreTimer));
  await assert.rejects(pendingWrite, InDoubtError);
  proxy.forwardNewConnections();
  await write(3);
  proxy.resume(0);
  // The backend of the first attempt may be gone. If not, it has enough time to run the statement now.
  await sql`select pg_sleep(0.3)`.execute(database.db);
  const { rows } = await sql<{ number: number }>`select number from counter`.execute(database.db);
  assert.deepEqual(rows, [{ number: 3 }]);
});
