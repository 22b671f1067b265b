import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import test, { type TestContext } from "node:test";
import { createTemporaryFolder } from "../../test/support/temporary-folder.ts";
import { commitTogether } from "./sqlite-commit.ts";

async function openDatabase(t: TestContext): Promise<DatabaseSync> {
  const database = new DatabaseSync(join(await createTemporaryFolder(t), "test.db"));
  t.after(() => database.close());
  database.exec("create table item (name text primary key)");
  return database;
}

/** Returns a work item that inserts the names and returns their number. */
function createInsert(database: DatabaseSync, ...names: readonly string[]) {
  return () => {
    for (const name of names) database.prepare("insert into item values (?)").run(name);
    return names.length;
  };
}

function readNames(database: DatabaseSync): readonly unknown[] {
  return database
    .prepare("select name from item order by name")
    .all()
    .map(({ name }) => name);
}

test("a failed item does not affect the others", async (t) => {
  const database = await openDatabase(t);
  const outcomes = commitTogether(database, [
    createInsert(database, "a"),
    createInsert(database, "b", "a"),
    createInsert(database, "c", "d"),
  ]);
  assert.deepEqual(outcomes[0], { value: 1 });
  assert.match(String(outcomes[1] && "error" in outcomes[1] && outcomes[1].error), /UNIQUE/);
  assert.deepEqual(outcomes[2], { value: 2 });
  assert.deepEqual(readNames(database), ["a", "c", "d"]);
  assert.equal(database.isTransaction, false);
});

test("an open transaction belongs to another caller and stays open", async (t) => {
  const database = await openDatabase(t);
  database.exec("begin");
  createInsert(database, "a")();
  const [outcome] = commitTogether(database, [createInsert(database, "b")]);
  assert.ok(outcome !== undefined && "error" in outcome);
  database.exec("commit");
  assert.deepEqual(readNames(database), ["a"]);
});

test("an error that ends the transaction is the result of every item", async (t) => {
  const database = await openDatabase(t);
  const rollBackAndThrow = () => {
    database.exec("rollback");
    throw new Error("The disk is full.");
  };
  const outcomes = commitTogether<unknown>(database, [
    createInsert(database, "a"),
    rollBackAndThrow,
    createInsert(database, "b"),
  ]);
  assert.equal(outcomes.length, 3);
  for (const outcome of outcomes) {
    assert.match(String("error" in outcome && outcome.error), /disk is full/);
  }
  assert.deepEqual(readNames(database), []);
  assert.deepEqual(commitTogether(database, [createInsert(database, "c")]), [{ value: 1 }]);
});
