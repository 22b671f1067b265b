import assert from "node:assert/strict";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { SqliteError, SqliteThread } from "./sqlite-thread.ts";

const run = (sql: string) => ({ sql, parameters: [] });

async function openThread(t: TestContext): Promise<SqliteThread> {
  const thread = new SqliteThread(join(await temporaryFolder(t), "test.db"));
  t.after(() => thread.close());
  await thread.one(run("create table item (name text primary key)"));
  return thread;
}

async function names(thread: SqliteThread): Promise<readonly unknown[]> {
  return (await thread.one(run("select name from item order by name"))).rows.map((row) =>
    Object.values(row as object).at(0),
  );
}

test("what is committed is on the disk with every sync", async (t) => {
  const thread = await openThread(t);
  const [mode] = (await thread.one(run("pragma journal_mode"))).rows;
  const [sync] = (await thread.one(run("pragma synchronous"))).rows;
  assert.deepEqual(
    [{ ...(mode as object) }, { ...(sync as object) }],
    [{ journal_mode: "wal" }, { synchronous: 2 }],
  );
});

test("statements that belong together are all stored, or none of them", async (t) => {
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

test("fifty transactions at once run one after another", async (t) => {
  const thread = await openThread(t);
  const transactions = Array.from({ length: 50 }, async (_, index) => {
    await thread.begin();
    await thread.within(run(`insert into item values ('${index}')`));
    await new Promise((resolve) => setImmediate(resolve));
    await thread.end(index % 2 === 0 ? "commit" : "rollback");
  });
  await Promise.all(transactions);
  assert.equal((await names(thread)).length, 25);
});

test("while a transaction is open, everybody else's statements wait for its end", async (t) => {
  const thread = await openThread(t);
  await thread.begin();
  await thread.within(run("insert into item values ('a')"));
  const read = names(thread);
  const written = thread.atomic([run("insert into item values ('b')")]);
  await thread.end("rollback");
  await written;
  assert.deepEqual(await read, []);
  assert.deepEqual(await names(thread), ["b"]);
});

test("a closed thread refuses, and closing again does nothing", async (t) => {
  const thread = await openThread(t);
  await thread.close();
  await thread.close();
  await assert.rejects(thread.one(run("select 1")), /closed/);
});
