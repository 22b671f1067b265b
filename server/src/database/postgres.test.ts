import assert from "node:assert/strict";
import { connect, createServer } from "node:net";
import test, { type TestContext } from "node:test";
import { sql } from "kysely";
import { createDatabase, ON_POSTGRES } from "../../test/support/database.ts";
import { listen, LOOPBACK } from "../../test/doubles/listen.ts";
import type { Compilable, Database } from "./database.ts";
import { openPostgres } from "./postgres.ts";

/** Opens a database with one connection and a table of items; `changeUrl` may lead through a proxy. */
async function setUp(
  t: TestContext,
  changeUrl: (url: string) => Promise<string> = async (url) => url,
): Promise<Database> {
  const { location, acquire, release } = await createDatabase(t);
  const database = openPostgres({
    url: await changeUrl(location.kind === "postgres" ? location.url : ""),
    connectionsMax: 1,
  });
  acquire();
  t.after(async () => {
    await database.close();
    await release();
  });
  await sql`create table item (name text primary key)`.execute(database.db);
  return database;
}

function createInsert({ db }: Database, name: string): Compilable {
  const query = sql`insert into item (name) values (${name}) returning name`;
  return { compile: () => query.compile(db) };
}

async function listPreparedStatements({ db }: Database): Promise<readonly unknown[]> {
  const { rows } = await sql`
    select statement from pg_prepared_statements where statement like 'insert into item%'`.execute(
    db,
  );
  return rows;
}

test(
  "the statements of a commit are sent as one chunk, and so are concurrent reads",
  ON_POSTGRES,
  async (t) => {
    let chunkCount = 0;
    const database = await setUp(t, (url) =>
      startProxy(t, { url, onChunk: () => (chunkCount += 1) }),
    );
    const names = Array.from({ length: 20 }, (_, index) => `item ${index}`);
    await database.atomically([createInsert(database, "first")]);
    chunkCount = 0;
    await database.atomically(names.map((name) => createInsert(database, name)));
    assert.equal(chunkCount, 1);
    chunkCount = 0;
    const select = (name: string) => sql`select name from item where name = ${name}`;
    const results = await Promise.all(
      names.map((name) => database.read({ compile: () => select(name).compile(database.db) })),
    );
    assert.equal(chunkCount, 1);
    assert.deepEqual(
      results.map(({ rows }) => rows),
      names.map((name) => [{ name }]),
    );
  },
);

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
  const proxyUrl = new URL(url);
  proxyUrl.port = String(await listen(server));
  proxyUrl.hostname = LOOPBACK;
  return proxyUrl.href;
}

test("a frequent statement is prepared once", ON_POSTGRES, async (t) => {
  const database = await setUp(t);
  await database.atomically([createInsert(database, "a"), createInsert(database, "b")]);
  assert.equal((await listPreparedStatements(database)).length, 0);
  for (const name of ["c", "d", "e"]) {
    const [one, other] = await database.atomically([
      createInsert(database, name),
      createInsert(database, `${name} too`),
    ]);
    assert.deepEqual([one?.rows, other?.rows], [[{ name }], [{ name: `${name} too` }]]);
  }
  assert.equal((await listPreparedStatements(database)).length, 1);
});

test(
  "a prepared statement survives a failed transaction and an added column",
  ON_POSTGRES,
  async (t) => {
    const database = await setUp(t);
    for (const name of ["a", "b", "c"]) await database.atomically([createInsert(database, name)]);
    const conflicting = [
      createInsert(database, "d"),
      createInsert(database, "a"),
      createInsert(database, "e"),
    ];
    await assert.rejects(database.atomically(conflicting), { code: "23505" });
    await sql`alter table item add column color text`.execute(database.db);
    const [added] = await database.atomically([createInsert(database, "d")]);
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
    const rowsBefore = await countScannedRows(database);
    for (let count = 1; count <= 10; count += 1)
      await database.atomically([remove(`item ${count}`)]);
    assert.equal(await countScannedRows(database), rowsBefore);
  },
);

/** Returns the number of rows that full scans of the table have read. */
async function countScannedRows({ db }: Database): Promise<unknown> {
  // A session's own statistics count only once flushed.
  await sql`select pg_stat_force_next_flush()`.execute(db);
  const { rows } =
    await sql`select seq_tup_read from pg_stat_user_tables where relname = 'item'`.execute(db);
  return (rows[0] as { seq_tup_read: number } | undefined)?.seq_tup_read; // As selected.
}
