import assert from "node:assert/strict";
import test from "node:test";
import { sql } from "kysely";
import { openTestDatabase } from "../../test/support/database.ts";
import { compiledOnce } from "./compiled-once.ts";
import { insertRows } from "./insert-rows.ts";
import { migrate } from "./migration.ts";

test("a statement is compiled once per database, and run with new values each time", async (t) => {
  const [one, other] = [await openTestDatabase(t), await openTestDatabase(t)];
  let buildCount = 0;
  const count = compiledOnce<{ readonly from: number; readonly to: number }>((db, placeholders) => {
    buildCount += 1;
    const query = sql`select cast(${placeholders.to} as integer) - cast(${placeholders.from} as integer) + ${0} as count`;
    return { compile: () => query.compile(db) };
  });
  for (const database of [one, other, one]) {
    const { db } = database;
    const [first, second] = await database.atomically([
      count(db, { from: 1, to: 3 }),
      count(db, { from: 10, to: 30 }),
    ]);
    assert.deepEqual(
      [first?.rows, second?.rows].map((rows) => rows?.map((row) => ({ ...(row as object) }))),
      [[{ count: 2 }], [{ count: 20 }]],
    );
  }
  assert.equal(buildCount, 2);
});

test("rows are inserted unchanged, in any number and repeatedly", async (t) => {
  const database = await openTestDatabase(t);
  await migrate(database);
  const { db } = database;
  const row = (index: number) => ({
    audience_id: `audience ${index}`,
    notification_id: `0000000${index}-0000-7000-8000-000000000000`,
    channel: "feed",
    created_at: index,
  });
  await database.atomically([insertRows(db, "feed_entry", [row(1), row(2)])]);
  await database.atomically([
    insertRows(db, "feed_entry", [row(3), row(4)]),
    insertRows(db, "feed_entry", [row(5)]),
  ]);
  for (let time = 0; time < 2; time += 1) {
    const known = insertRows(db, "feed_entry", [row(1), row(5)], { skipsKnown: true });
    await database.atomically([known]);
  }
  await assert.rejects(database.atomically([insertRows(db, "feed_entry", [row(1), row(5)])]));
  const columns = ["audience_id", "notification_id", "channel", "created_at"] as const;
  const rows = await db.selectFrom("feed_entry").select(columns).orderBy("created_at").execute();
  assert.deepEqual(
    rows.map((found) => ({ ...found })),
    [1, 2, 3, 4, 5].map(row),
  );
});
