import assert from "node:assert/strict";
import { connect, createServer } from "node:net";
import test, { type TestContext } from "node:test";
import { sql } from "kysely";
import { createDatabase, ON_POSTGRES } from "../../test/support/database.ts";
import { listen, LOOPBACK } from "../../test/doubles/listen.ts";
import type { Compilable, Database } from "./database.ts";
import { openPostgres } from "./postgres.ts";

/** Opens a database with one connection and a table of items; `route` may change its URL. */
async function setUp(
  t: TestContext,
  route: (url: string) => Promise<string> = async (url) => url,
): Promise<Database> {
  const { place, hold, letGo } = await createDatabase(t);
  const database = openPostgres({
    url: await route(place.kind === "postgres" ? place.url : ""),
    connectionsMax: 1,
  });
  hold();
  t.after(async () => {
    await database.close();
    await letGo();
  });
  await sql`create table item (name text primary key)`.execute(database.db);
  return database;
}

function insert({ db }: Database, name: string): Compilable {
  const query = sql`insert into item (name) values (${name}) returning name`;
  return { compile: () => query.compile(db) };
}

async function preparedIn({ db }: Database): Promise<readonly unknown[]> {
  const { rows } = await sql`
    select statement from pg_prepared_statements where statement like 'insert into item%'`.execute(
    db,
  );
  return rows;
}

test("concurrent statements are sent as one chunk", ON_POSTGRES, async (t) => {
  let chunks = 0;
  const database = await setUp(t, (url) => startProxy(t, { url, onChunk: () => (chunks += 1) }));
  const names = Array.from({ length: 20 }, (_, index) => `item ${index}`);
  await database.atomically([insert(database, "first")]);
  chunks = 0;
  await database.atomically(names.map((name) => insert(database, name)));
  assert.equal(chunks, 1);
  chunks = 0;
  const read = (name: string) => sql`select name from item where name = ${name}`;
  const found = await Promise.all(
    names.map((name) => database.read({ compile: () => read(name).compile(database.db) })),
  );
  assert.equal(chunks, 1);
  assert.deepEqual(
    found.map(({ rows }) => rows),
    names.map((name) => [{ name }]),
  );
});

/** Starts a proxy to a database and returns its URL; calls `onChunk` for every chunk that a client writes to it. */
async function startProxy(
  t: TestContext,
  { url, onChunk }: { readonly url: string; readonly onChunk: () => void },
): Promise<string> {
  const target = new URL(url);
  const server = createServer((socket) => {
    const database = connect(Number(target.port), target.hostname);
    socket.on("data", onChunk).pipe(database).pipe(socket);
    database.on("error", () => socket.destroy());
    socket.on("error", () => database.destroy());
  });
  t.after(() => server.close());
  const listening = new URL(url);
  listening.port = String(await listen(server));
  listening.hostname = LOOPBACK;
  return listening.href;
}

test("a frequent statement is prepared once", ON_POSTGRES, async (t) => {
  const database = await setUp(t);
  await database.atomically([insert(database, "a"), insert(database, "b")]);
  assert.equal((await preparedIn(database)).length, 0);
  for (const name of ["c", "d", "e"]) {
    const [one, other] = await database.atomically([
      insert(database, name),
      insert(database, `${name} too`),
    ]);
    assert.deepEqual([one?.rows, other?.rows], [[{ name }], [{ name: `${name} too` }]]);
  }
  assert.equal((await preparedIn(database)).length, 1);
});

test(
  "a prepared statement survives a failed transaction and an added column",
  ON_POSTGRES,
  async (t) => {
    const database = await setUp(t);
    for (const name of ["a", "b", "c"]) await database.atomically([insert(database, name)]);
    const twice = [insert(database, "d"), insert(database, "a"), insert(database, "e")];
    await assert.rejects(database.atomically(twice), { code: "23505" });
    await sql`alter table item add column color text`.execute(database.db);
    const [added] = await database.atomically([insert(database, "d")]);
    assert.deepEqual(added?.rows, [{ name: "d" }]);
    const { rows } = await sql`select name from item order by name`.execute(database.db);
    assert.deepEqual(rows, [{ name: "a" }, { name: "b" }, { name: "c" }, { name: "d" }]);
  },
);

test(
  "a cached plan finds rows by key, even if the table was empty at planning time",
  ON_POSTGRES,
  async (t) => {
    const database = await setUp(t);
    const { db } = database;
    const remove = (name: string): Compilable => {
      const query = sql`delete from item where name = ${name}`;
      return { compile: () => query.compile(db) };
    };
    await sql`analyze item`.execute(db);
    for (let count = 0; count < 10; count += 1) await database.atomically([remove("nobody")]);
    await sql`insert into item select 'item ' || n from generate_series(1, 20000) n`.execute(db);
    const rowsBefore = await rowsReadWhole(database);
    for (let count = 1; count <= 10; count += 1)
      await database.atomically([remove(`item ${count}`)]);
    assert.equal(await rowsReadWhole(database), rowsBefore);
  },
);

/** Returns the number of rows that full scans of the table have read. */
async function rowsReadWhole({ db }: Database): Promise<unknown> {
  // A session's own statistics count only once flushed.
  await sql`select pg_stat_force_next_flush()`.execute(db);
  const { rows } =
    await sql`select seq_tup_read from pg_stat_user_tables where relname = 'item'`.execute(db);
  return (rows[0] as { seq_tup_read: number } | undefined)?.seq_tup_read; // As selected.
}
