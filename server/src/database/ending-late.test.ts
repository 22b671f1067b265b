import assert from "node:assert/strict";
import test from "node:test";
import { sql } from "kysely";
import { InDoubtError } from "./in-doubt-error.ts";
import { openPostgres } from "./postgres.ts";
import { createDatabase, ON_POSTGRES } from "../../test/support/database.ts";
import { startTcpProxy } from "../../test/support/tcp-proxy.ts";
import { endingLate } from "./ending-late.ts";

test("a repeated write is not undone by its delayed first attempt", ON_POSTGRES, async (t) => {
  const { place, hold, letGo } = await createDatabase(t);
  const url = new URL(place.kind === "postgres" ? place.url : "");
  const proxy = await startTcpProxy(t, Number(url.port));
  url.port = String(proxy.port);
  const database = openPostgres({ url: url.href });
  hold();
  t.after(async () => {
    proxy.cut();
    await database.close();
    await letGo();
  });
  await sql`create table step (number bigint)`.execute(database.db);
  await sql`insert into step values (0)`.execute(database.db);
  const record = (number: number) => {
    const query = sql`update step set number = ${number}`;
    return database.atomically([{ compile: () => query.compile(database.db) }]);
  };
  await record(1);
  proxy.stall();
  const recording = endingLate(() => record(2));
  // Longer than the timeout of a response.
  const restoreTimer = setTimeout(() => proxy.letNewThrough(), 2_500);
  t.after(() => clearTimeout(restoreTimer));
  await assert.rejects(recording, InDoubtError);
  proxy.letNewThrough();
  await record(3);
  proxy.goOn(0);
  // The backend of the first attempt may be gone. If it is not, this is long enough for it to run the statement.
  await sql`select pg_sleep(0.3)`.execute(database.db);
  const { rows } = await sql<{ number: number }>`select number from step`.execute(database.db);
  assert.deepEqual(rows, [{ number: 3 }]);
});
