import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { sql } from "kysely";
import { createDatabase, ON_POSTGRES } from "../../test/support/database.ts";
import { eventually } from "../../test/support/eventually.ts";
import { startTcpProxy } from "../../test/support/tcp-proxy.ts";
import type { Compilable, Database } from "./database.ts";
import { InDoubtError } from "./in-doubt-error.ts";
import { openPostgres } from "./postgres.ts";

/** Creates a table of items, and opens it directly and through a proxy. */
async function setUp(t: TestContext) {
  const { place, hold, letGo } = await createDatabase(t);
  const url = new URL(place.kind === "postgres" ? place.url : "");
  const proxy = await startTcpProxy(t, Number(url.port));
  const direct = openPostgres({ url: url.href });
  url.port = String(proxy.port);
  const database = openPostgres({ url: url.href });
  hold();
  t.after(async () => {
    proxy.cut();
    await Promise.all([database.close(), direct.close()]);
    await letGo();
  });
  await sql`create table item (name text primary key)`.execute(direct.db);
  // Opens a connection that can be lost.
  await database.atomically([insert(database, "before")]);
  return { proxy, direct, database };
}

function insert({ db }: Database, name: string): Compilable {
  const query = sql`insert into item (name) values (${name})`;
  return { compile: () => query.compile(db) };
}

function names({ db }: Database): Compilable {
  const query = sql<{ name: string }>`select name from item order by name`;
  return { compile: () => query.compile(db) };
}

async function namesIn(database: Database): Promise<readonly unknown[]> {
  const [result] = await database.atomically([names(database)]);
  return (result?.rows ?? []).map((row) => Object.values(row as object)[0]);
}

async function doubtOf(commit: Promise<unknown>): Promise<InDoubtError> {
  const error = await commit.then(
    () => null,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof InDoubtError, String(error));
  return error;
}

async function settle(doubt: InDoubtError, database: Database): Promise<readonly unknown[]> {
  const [result] = await doubt.makeCertain([names(database)]);
  return (result?.rows ?? []).map((row) => Object.values(row as object)[0]);
}

test(
  "a write settled as not stored is never stored, even if it arrives later",
  ON_POSTGRES,
  async (t) => {
    const { proxy, direct, database } = await setUp(t);
    proxy.stall();
    const doubt = await doubtOf(database.atomically([insert(database, "late")]));
    await assert.rejects(doubt.makeCertain([names(database)]));
    proxy.letNewThrough();
    assert.deepEqual(await settle(doubt, database), ["before"]);
    proxy.goOn(0);
    // Stalled bytes arrive before any later ones.
    await database.atomically([insert(database, "after")]);
    assert.deepEqual(await namesIn(direct), ["after", "before"]);
  },
);

test("a commit is found if only its response was lost", ON_POSTGRES, async (t) => {
  const { proxy, direct, database } = await setUp(t);
  await sql`create function slow() returns trigger language plpgsql as
    $$ begin perform pg_sleep(0.5); return new; end $$`.execute(direct.db);
  await sql`create trigger slow before insert on item for each row execute function slow()`.execute(
    direct.db,
  );
  const commit = database.atomically([insert(database, "answered to nobody")]);
  const doubting = doubtOf(commit);
  await eventually(
    async () =>
      sql`select 1 from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`.execute(
        direct.db,
      ),
    ({ rows }) => rows.length > 0,
  );
  proxy.stall();
  const doubt = await doubting;
  proxy.letNewThrough();
  assert.deepEqual(await settle(doubt, database), ["answered to nobody", "before"]);
});

test(
  "settling a commit that is still running ends it, and it is not stored",
  ON_POSTGRES,
  async (t) => {
    const { proxy, direct, database } = await setUp(t);
    await direct.transaction(async (db) => {
      await sql`insert into item (name) values ('held')`.execute(db);
      const doubting = doubtOf(database.atomically([insert(database, "held")]));
      await eventually(
        async () =>
          sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`.execute(
            db,
          ),
        ({ rows }) => rows.length > 0,
      );
      proxy.cut();
      assert.deepEqual(await settle(await doubting, database), ["before"]);
    });
    assert.deepEqual(await namesIn(direct), ["before", "held"]);
  },
);
