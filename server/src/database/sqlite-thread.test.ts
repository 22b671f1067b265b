import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { endianness } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import type { StatementResult } from "./sqlite-protocol.ts";
import { SqliteError, SqliteThread } from "./sqlite-thread.ts";

const run = (sql: string) => ({ sql, parameters: [] });

async function openThread(t: TestContext): Promise<SqliteThread> {
  const thread = new SqliteThread(join(await temporaryFolder(t), "test.db"));
  t.after(() => thread.close());
  await thread.execute(run("create table item (name text primary key)"));
  return thread;
}

async function names(thread: SqliteThread): Promise<readonly unknown[]> {
  return (await thread.execute(run("select name from item order by name"))).rows.map((row) =>
    Object.values(row as object).at(0),
  );
}

test("every commit is synced to the disk", async (t) => {
  const thread = await openThread(t);
  const [mode] = (await thread.execute(run("pragma journal_mode"))).rows;
  const [sync] = (await thread.execute(run("pragma synchronous"))).rows;
  assert.deepEqual(
    [{ ...(mode as object) }, { ...(sync as object) }],
    [{ journal_mode: "wal" }, { synchronous: 2 }],
  );
});

test("atomic statements are all stored, or none of them", async (t) => {
  const thread = await openThread(t);
  await thread.atomic([run("insert into item values ('a')"), run("insert into item values ('b')")]);
  const twice = [run("insert into item values ('c')"), run("insert into item values ('a')")];
  await assert.rejects(thread.atomic(twice), (error) => {
    assert.ok(error instanceof SqliteError);
    assert.equal((error.errcode ?? 0) & 0xff, 19);
    return true;
  });
  assert.deepEqual(await names(thread), ["a", "b"]);
});

test("fifty concurrent transactions run one after another", async (t) => {
  const thread = await openThread(t);
  const transactions = Array.from({ length: 50 }, async (_, index) => {
    await thread.begin();
    await thread.executeInTransaction(run(`insert into item values ('${index}')`));
    await new Promise((resolve) => setImmediate(resolve));
    await thread.end(index % 2 === 0 ? "commit" : "rollback");
  });
  await Promise.all(transactions);
  assert.equal((await names(thread)).length, 25);
});

test("statements of other callers wait while a transaction is open", async (t) => {
  const thread = await openThread(t);
  await thread.begin();
  await thread.executeInTransaction(run("insert into item values ('a')"));
  const read = names(thread);
  const written = thread.atomic([run("insert into item values ('b')")]);
  await thread.end("rollback");
  await written;
  assert.deepEqual(await read, []);
  assert.deepEqual(await names(thread), ["b"]);
});

test("concurrent transactions succeed or fail independently", async (t) => {
  const thread = await openThread(t);
  const item = (name: string) => run(`insert into item values ('${name}')`);
  const requests = [
    thread.atomic([item("a"), item("b")]),
    thread.atomic([item("c"), item("a")]),
    thread.execute(item("d")),
    thread.atomic([item("e"), run("select count(*) as count from item")]),
    thread.atomic([item("d")]),
  ];
  const outcomes = await Promise.allSettled(requests);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ["fulfilled", "rejected", "fulfilled", "fulfilled", "rejected"],
  );
  assert.deepEqual(await names(thread), ["a", "b", "d", "e"]);
  const [, counted] =
    outcomes[3]?.status === "fulfilled" ? (outcomes[3].value as StatementResult[]) : [];
  assert.deepEqual({ ...(counted?.rows[0] as object) }, { count: 4 });
});

test("writes that wait while the thread is busy share one commit", async (t) => {
  const folder = await temporaryFolder(t);
  const thread = new SqliteThread(join(folder, "test.db"));
  t.after(() => thread.close());
  await thread.execute(run("create table item (name integer)"));
  const before = commitsIn(folder);
  const busy = thread.execute(run(SLOW));
  const waiting: Promise<unknown>[] = [];
  for (let name = 0; name < 20; name += 1) {
    waiting.push(thread.atomic([run(`insert into item values (${name})`)]));
    // Makes each of them a separate message.
    await new Promise(setImmediate);
  }
  await Promise.all([busy, ...waiting]);
  assert.ok(commitsIn(folder) - before <= 2, `${commitsIn(folder) - before} commits`);
});

test("a read sees earlier writes and no later ones", async (t) => {
  const thread = await openThread(t);
  const busy = thread.execute(run(SLOW));
  const reads: Promise<readonly unknown[]>[] = [];
  const written: Promise<unknown>[] = [];
  for (const name of ["a", "b", "c"]) {
    reads.push(names(thread));
    const item = run(`insert into item values ('${name}')`);
    written.push(name === "b" ? thread.execute(item) : thread.atomic([item]));
    await new Promise(setImmediate);
  }
  reads.push(names(thread));
  await Promise.all([busy, ...written]);
  assert.deepEqual(await Promise.all(reads), [[], ["a"], ["a", "b"], ["a", "b", "c"]]);
});

/** Runs long enough for later requests to arrive meanwhile. */
const SLOW = `
  with recursive counted (value) as (select 1 union all select value + 1 from counted)
  select count(*) from (select value from counted limit 1000000)`;

/** Returns the change counter in the header of the WAL index (sqlite.org/walformat.html, section 2.2.1). */
function commitsIn(folder: string): number {
  const bytes = readFileSync(join(folder, "test.db-shm"));
  return endianness() === "LE" ? bytes.readUInt32LE(8) : bytes.readUInt32BE(8);
}

test("a closed thread rejects requests, and a second close does nothing", async (t) => {
  const thread = await openThread(t);
  await thread.close();
  await thread.close();
  await assert.rejects(thread.execute(run("select 1")), /closed/);
});

test("a query during a close is rejected, and the thread ends normally", async (t) => {
  const thread = new SqliteThread(join(await temporaryFolder(t), "test.db"));
  await thread.execute(run("create table item (name text primary key)"));
  const closing = thread.close();
  const late = [run("select name from item"), run("insert into item values ('late')")];
  const requests = await Promise.allSettled(late.map((statement) => thread.execute(statement)));
  await closing;
  for (const outcome of requests) {
    assert.ok(outcome.status === "rejected" && outcome.reason instanceof SqliteError);
  }
});
