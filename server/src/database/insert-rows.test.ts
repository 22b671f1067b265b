import assert from "node:assert/strict";
import test from "node:test";
import { openTestDatabase } from "../../test/support/database.ts";
import { insertRowsQuery } from "./insert-rows.ts";
import { migrate } from "./migration.ts";

test("rows are inserted unchanged, in any number, and existing ones are skipped only on request", async (t) => {
  const database = await openTestDatabase(t);
  await migrate(database);
  const { db } = database;
  const createRow = (index: number) => ({
    audience_id: `audience ${index}`,
    notification_id: `0000000${index}-0000-7000-8000-000000000000`,
    channel: "feed",
    created_at: index,
  });
  await database.atomically([insertRowsQuery(db, "feed_entry", [createRow(1), createRow(2)])]);
  await database.atomically([
    insertRowsQuery(db, "feed_entry", [createRow(3), createRow(4)]),
    insertRowsQuery(db, "feed_entry", [createRow(5)]),
  ]);
  for (let round = 0; round < 2; round += 1) {
    const insertOfExisting = insertRowsQuery(db, "feed_entry", [createRow(1), createRow(5)], {
      skipsExisting: true,
    });
    await database.atomically([insertOfExisting]);
  }
  await assert.rejects(
    database.atomically([insertRowsQuery(db, "feed_entry", [createRow(1), createRow(5)])]),
  );
  const columns = ["audience_id", "notification_id", "channel", "created_at"] as const;
  const rows = await db.selectFrom("feed_entry").select(columns).orderBy("created_at").execute();
  assert.deepEqual(
    rows.map((found) => ({ ...found })),
    [1, 2, 3, 4, 5].map(createRow),
  );
});
