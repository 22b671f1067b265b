import assert from "node:assert/strict";
import test from "node:test";
import { sql } from "kysely";
import { openTestDatabase } from "../../test/support/database.ts";
import { compileOnce } from "./compile-once.ts";

test("a statement is compiled once per database, and run with new values each time", async (t) => {
  const database = await openTestDatabase(t);
  const otherDatabase = await openTestDatabase(t);
  let buildCount = 0;
  const countBetween = compileOnce<{ readonly from: number; readonly to: number }>(
    (db, placeholders) => {
      buildCount += 1;
      const query = sql`select cast(${placeholders.to} as integer) - cast(${placeholders.from} as integer) + ${0} as count`;
      return { compile: () => query.compile(db) };
    },
  );
  for (const current of [database, otherDatabase, database]) {
    const { db } = current;
    const [first, second] = await current.atomically([
      countBetween(db, { from: 1, to: 3 }),
      countBetween(db, { from: 10, to: 30 }),
    ]);
    assert.deepEqual(
      [first?.rows, second?.rows].map((rows) => rows?.map((row) => ({ ...(row as object) }))),
      [[{ count: 2 }], [{ count: 20 }]],
    );
  }
  assert.equal(buildCount, 2);
});
