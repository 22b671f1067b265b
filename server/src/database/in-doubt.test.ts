import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { sql } from "kysely";
import { createDatabase, ON_POSTGRES } from "../../test/support/database.ts";
import { eventually } from "../../test/support/eventually.ts";
import { startTcpProxy } from "../../test/support/tcp-proxy.ts";
import type { Compilable, Database } from "./database.ts";
import { InDoubtError } from "./in-doubt-error.ts";
import { openPostgres } from "./postgres.ts";

/** Creates a table of items, and opens its database directly and through a proxy. */
async function setUp(t: TestContext) {
  const { location, acquire, release } = await createDatabase(t);
  const url = new URL(location.kind === "postgres" ? location.url : "");
  const proxy = await startTcpProxy(t, Number(url.port));
  const directDatabase = openPostgres({ url: url.href });
  url.port = String(proxy.port);
  const database = openPostgres({ url: url.href });
  acquire();
  t.after(async () => {
    proxy.closeConnections();
    await Promise.all([database.close(), directDatabase.close()]);
    await release();
  });
  await sql`create table item (name text primary key)`.execute(directDatabase.db);
  // Opens a connection that can be lost.
  await database.atomically([createInsert(database, "before")]);
  return { proxy, directDatabase, database };
}

function createInsert({ db }: Database, name: string): Compilable {
  const query = sql`insert into item (name) values (${name})`;
  return { compile: () => query.compile(db) };
}

function selectNames({ db }: Database): Compilable {
  const query = sql<{ name: string }>`select name from item order by name`;
  return { compile: () => query.compile(db) };
}

async function readNames(database: Database): Promise<readonly unknown[]> {
  const [result] = await database.atomically([selectNames(database)]);
  return (result?.rows ?? []).map((row) => Object.values(row as object)[0]);
}

async function expectInDoubt(commit: Promise<unknown>): Promise<InDoubtError> {
  const error = await commit.then(
    () => null,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof InDoubtError, String(error));
  return error;
}

async function settleAndReadNames(
  doubt: InDoubtError,
  database: Database,
): Promise<readonly unknown[]> {
  const [result] = await doubt.settleAndRead([selectNames(database)]);
  return (result?.rows ?? []).map((row) => Object.values(row as object)[0]);
}

test(
  "a write settled as not stored is never stored, even if it arrives later",
  ON_POSTGRES,
  async (t) => {
    const { proxy, directDatabase, database } = await setUp(t);
    proxy.stall();
    const doubt = await expectInDoubt(database.atomically([createInsert(database, "late")]));
    await assert.rejects(doubt.settleAndRead([selectNames(database)]));
    proxy.forwardNewConnections();
    assert.deepEqual(await settleAndReadNames(doubt, database), ["before"]);
    proxy.resume(0);
    // Stalled bytes arrive before any later ones.
    await database.atomically([createInsert(database, "after")]);
    assert.deepEqual(await readNames(directDatabase), ["after", "before"]);
  },
);

test("a commit is found if only its response was lost", ON_POSTGRES, async (t) => {
  const { proxy, directDatabase, database } = await setUp(t);
  await sql`create function slow() returns trigger language plpgsql as
    $$ begin perform pg_sleep(0.5); return new; end $$`.execute(directDatabase.db);
  await sql`create trigger slow before insert on item for each row execute function slow()`.execute(
    directDatabase.db,
  );
  const commit = database.atomically([createInsert(database, "answered to nobody")]);
  const pendingDoubt = expectInDoubt(commit);
  await eventually(
    async () =>
      sql`select 1 from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`.execute(
        directDatabase.db,
      ),
    ({ rows }) => rows.length > 0,
  );
  proxy.stall();
  const doubt = await pendingDoubt;
  proxy.forwardNewConnections();
  assert.deepEqual(await settleAndReadNames(doubt, database), ["answered to nobody", "before"]);
});

test(
  "settling a commit that is still running ends it, and it is not stored",
  ON_POSTGRES,
  async (t) => {
    const { proxy, directDatabase, database } = await setUp(t);
    await directDatabase.transaction(async (db) => {
      await sql`insert into item (name) values ('held')`.execute(db);
      const pendingDoubt = expectInDoubt(database.atomically([createInsert(database, "held")]));
      await eventually(
        async () =>
          sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`.execute(
            db,
          ),
        ({ rows }) => rows.length > 0,
      );
      proxy.closeConnections();
      assert.deepEqual(await settleAndReadNames(await pendingDoubt, database), ["before"]);
    });
    assert.deepEqual(await readNames(directDatabase), ["before", "held"]);
  },
);
