import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { endianness } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { pathToFileURL } from "node:url";
import { createTemporaryFolder } from "../../test/support/temporary-folder.ts";
import type { StatementResult } from "./sqlite-protocol.ts";
import { SqliteError, SqliteThread } from "./sqlite-thread.ts";

/** SQLite's primary result code of a violated constraint, in the low byte of the extended code. */
const CONSTRAINT = 19;

const createStatement = (sql: string) => ({ sql, parameters: [] });

async function openThread(t: TestContext): Promise<SqliteThread> {
  const thread = new SqliteThread(join(await createTemporaryFolder(t), "test.db"));
  t.after(() => thread.close());
  await thread.execute(createStatement("create table item (name text primary key)"));
  return thread;
}

async function readNames(thread: SqliteThread): Promise<readonly unknown[]> {
  return (await thread.execute(createStatement("select name from item order by name"))).rows.map(
    (row) => Object.values(row as object).at(0),
  );
}

test("the connection uses WAL with synchronous = FULL, so that every commit is synced", async (t) => {
  const thread = await openThread(t);
  const [mode] = (await thread.execute(createStatement("pragma journal_mode"))).rows;
  const [sync] = (await thread.execute(createStatement("pragma synchronous"))).rows;
  // SQLite returns 2 for FULL.
  assert.deepEqual(
    [{ ...(mode as object) }, { ...(sync as object) }],
    [{ journal_mode: "wal" }, { synchronous: 2 }],
  );
});

test("atomic statements are all stored, or none of them", async (t) => {
  const thread = await openThread(t);
  await thread.executeAtomically([
    createStatement("insert into item values ('a')"),
    createStatement("insert into item values ('b')"),
  ]);
  const conflicting = [
    createStatement("insert into item values ('c')"),
    createStatement("insert into item values ('a')"),
  ];
  await assert.rejects(thread.executeAtomically(conflicting), (error) => {
    assert.ok(error instanceof SqliteError);
    assert.equal((error.errcode ?? 0) & 0xff, CONSTRAINT);
    return true;
  });
  assert.deepEqual(await readNames(thread), ["a", "b"]);
});

/**
 * Defines a procedure that inserts a name and returns the number of names so far. The procedure throws for the name
 * "wrong".
 */
async function defineInsertion(t: TestContext, thread: SqliteThread) {
  const path = join(await createTemporaryFolder(t), "insert-name.mjs");
  const module = `export function createProcedure(sql, prepare) {
    const insert = prepare(sql.insert);
    const count = prepare(sql.count);
    return (name) => {
      insert.run(name);
      if (name === "wrong") throw new Error("This name is wrong.");
      return count.get();
    };
  }`;
  await writeFile(path, module);
  const call = thread.defineProcedure(pathToFileURL(path));
  const statements = {
    insert: "insert into item values (?)",
    count: "select count(*) from item",
  };
  return (names: readonly string[]) => call(names, () => statements);
}

test("a procedure stores all of its inputs and returns an output for each, or stores none of them", async (t) => {
  const thread = await openThread(t);
  const insertNames = await defineInsertion(t, thread);
  assert.deepEqual(await insertNames(["a", "b"]), [[1], [2]]);
  await assert.rejects(insertNames(["c", "wrong", "d"]), /This name is wrong/);
  await assert.rejects(insertNames(["c", "a"]), (error) => error instanceof SqliteError);
  assert.deepEqual(await readNames(thread), ["a", "b"]);
  assert.deepEqual(await Promise.all([insertNames(["c"]), insertNames(["d"])]), [[[3]], [[4]]]);
});

test("a procedure waits for the end of an open transaction", async (t) => {
  const thread = await openThread(t);
  const insertNames = await defineInsertion(t, thread);
  await thread.beginTransaction();
  await thread.executeInTransaction(createStatement("insert into item values ('a')"));
  const inserted = insertNames(["b"]);
  await thread.endTransaction("rollback");
  assert.deepEqual(await inserted, [[1]]);
  assert.deepEqual(await readNames(thread), ["b"]);
});

test("each call of a procedure whose module is missing fails, and other requests still work", async (t) => {
  const thread = await openThread(t);
  const module = pathToFileURL(join(await createTemporaryFolder(t), "missing.mjs"));
  const call = thread.defineProcedure(module);
  for (let attempt = 0; attempt < 2; attempt += 1) {
    await assert.rejects(
      call([1], () => ({})),
      /missing\.mjs/,
    );
  }
  assert.deepEqual(await readNames(thread), []);
});

test("fifty concurrent transactions run one after another", async (t) => {
  const thread = await openThread(t);
  const transactions = Array.from({ length: 50 }, async (_, index) => {
    await thread.beginTransaction();
    await thread.executeInTransaction(createStatement(`insert into item values ('${index}')`));
    await new Promise((resolve) => setImmediate(resolve));
    await thread.endTransaction(index % 2 === 0 ? "commit" : "rollback");
  });
  await Promise.all(transactions);
  assert.equal((await readNames(thread)).length, 25);
});

test("statements of other callers wait while a transaction is open", async (t) => {
  const thread = await openThread(t);
  await thread.beginTransaction();
  await thread.executeInTransaction(createStatement("insert into item values ('a')"));
  const pendingRead = readNames(thread);
  const pendingWrite = thread.executeAtomically([createStatement("insert into item values ('b')")]);
  await thread.endTransaction("rollback");
  await pendingWrite;
  assert.deepEqual(await pendingRead, []);
  assert.deepEqual(await readNames(thread), ["b"]);
});

test("concurrent transactions succeed or fail independently", async (t) => {
  const thread = await openThread(t);
  const createInsert = (name: string) => createStatement(`insert into item values ('${name}')`);
  const requests = [
    thread.executeAtomically([createInsert("a"), createInsert("b")]),
    thread.executeAtomically([createInsert("c"), createInsert("a")]),
    thread.execute(createInsert("d")),
    thread.executeAtomically([
      createInsert("e"),
      createStatement("select count(*) as count from item"),
    ]),
    thread.executeAtomically([createInsert("d")]),
  ];
  const outcomes = await Promise.allSettled(requests);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ["fulfilled", "rejected", "fulfilled", "fulfilled", "rejected"],
  );
  assert.deepEqual(await readNames(thread), ["a", "b", "d", "e"]);
  const [, counted] =
    outcomes[3]?.status === "fulfilled" ? (outcomes[3].value as StatementResult[]) : [];
  assert.deepEqual({ ...(counted?.rows[0] as object) }, { count: 4 });
});

test("twenty writes that wait while the thread is busy take at most two commits", async (t) => {
  const folder = await createTemporaryFolder(t);
  const thread = new SqliteThread(join(folder, "test.db"));
  t.after(() => thread.close());
  await thread.execute(createStatement("create table item (name integer)"));
  const countBefore = readCommitCount(folder);
  const busy = thread.execute(createStatement(SLOW_QUERY));
  const pendingWrites: Promise<unknown>[] = [];
  for (let name = 0; name < 20; name += 1) {
    pendingWrites.push(
      thread.executeAtomically([createStatement(`insert into item values (${name})`)]),
    );
    // Makes each of them a separate message.
    await new Promise(setImmediate);
  }
  await Promise.all([busy, ...pendingWrites]);
  assert.ok(
    readCommitCount(folder) - countBefore <= 2,
    `${readCommitCount(folder) - countBefore} commits`,
  );
});

test("a read sees earlier writes and no later ones", async (t) => {
  const thread = await openThread(t);
  const busy = thread.execute(createStatement(SLOW_QUERY));
  const reads: Promise<readonly unknown[]>[] = [];
  const writes: Promise<unknown>[] = [];
  for (const name of ["a", "b", "c"]) {
    reads.push(readNames(thread));
    const insert = createStatement(`insert into item values ('${name}')`);
    writes.push(name === "b" ? thread.execute(insert) : thread.executeAtomically([insert]));
    await new Promise(setImmediate);
  }
  reads.push(readNames(thread));
  await Promise.all([busy, ...writes]);
  assert.deepEqual(await Promise.all(reads), [[], ["a"], ["a", "b"], ["a", "b", "c"]]);
});

/** Runs long enough for later requests to arrive meanwhile. */
const SLOW_QUERY = `
  with recursive counted (value) as (select 1 union all select value + 1 from counted)
  select count(*) from (select value from counted limit 1000000)`;

/** The position of the change counter in the header of the WAL index (sqlite.org/walformat.html, section 2.2.1). */
const CHANGE_COUNTER_OFFSET = 8;

/** Returns the change counter of the file, which every commit increases by one. */
function readCommitCount(folder: string): number {
  const bytes = readFileSync(join(folder, "test.db-shm"));
  return endianness() === "LE"
    ? bytes.readUInt32LE(CHANGE_COUNTER_OFFSET)
    : bytes.readUInt32BE(CHANGE_COUNTER_OFFSET);
}

test("a closed thread rejects requests, and a second close does nothing", async (t) => {
  const thread = await openThread(t);
  await thread.close();
  await thread.close();
  await assert.rejects(thread.execute(createStatement("select 1")), /closed/);
});

test("statements during a close are rejected, and the thread ends normally", async (t) => {
  const thread = new SqliteThread(join(await createTemporaryFolder(t), "test.db"));
  await thread.execute(createStatement("create table item (name text primary key)"));
  const closing = thread.close();
  const lateStatements = [
    createStatement("select name from item"),
    createStatement("insert into item values ('late')"),
  ];
  const outcomes = await Promise.allSettled(
    lateStatements.map((statement) => thread.execute(statement)),
  );
  await closing;
  for (const outcome of outcomes) {
    assert.ok(outcome.status === "rejected" && outcome.reason instanceof SqliteError);
  }
});
