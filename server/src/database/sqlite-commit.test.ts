import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import test, { type TestContext } from "node:test";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { commitTogether } from "./sqlite-commit.ts";

async function openDatabase(t: TestContext): Promise<DatabaseSync> {
  const database = new DatabaseSync(join(await temporaryFolder(t), "test.db"));
  t.after(() => database.close());
  database.exec("create table item (name text primary key)");
  return database;
}

function insert(database: DatabaseSync, ...names: readonly string[]) {
  return () => {
    for (const name of names) database.prepare("insert into item values (?)").run(name);
    return names.length;
  };
}

function namesIn(database: DatabaseSync): readonly unknown[] {
  return database
    .prepare("select name from item order by name")
    .all()
    .map(({ name }) => name);
}

test("a failed item does not affect the others", async (t) => {
  const database = await openDatabase(t);
  const outcomes = commitTogether(database, [
    insert(database, "a"),
    insert(database, "b", "a"),
    insert(database, "c", "d"),
  ]);
  assert.deepEqual(outcomes[0], { value: 1 });
  assert.match(String(outcomes[1] && "error" in outcomes[1] && outcomes[1].error), /UNIQUE/);
  assert.deepEqual(outcomes[2], { value: 2 });
  assert.deepEqual(namesIn(database), ["a", "c", "d"]);
  assert.equal(database.isTransaction, false);
});

test("an open transaction belongs to another caller and stays open", async (t) => {
  const database = await openDatabase(t);
  database.exec("begin");
  insert(database, "a")();
  const [outcome] = commitTogether(database, [insert(database, "b")]);
  assert.ok(outcome !== undefined && "error" in outcome);
  database.exec("commit");
  assert.deepEqual(namesIn(database), ["a"]);
});

test("an error that ends the transaction is the result of every item", async (t) => {
  const database = await openDatabase(t);
  const rollBack = () => {
    database.exec("rollback");
    throw new Error("The disk is full.");
  };
  const outcomes = commitTogether<unknown>(database, [
    insert(database, "a"),
    rollBack,
    insert(database, "b"),
  ]);
  assert.equal(outcomes.length, 3);
  for (const outcome of outcomes) {
    assert.match(String("error" in outcome && outcome.error), /disk is full/);
  }
  assert.deepEqual(namesIn(database), []);
  assert.deepEqual(commitTogether(database, [insert(database, "c")]), [{ value: 1 }]);
});
