import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import test from "node:test";
import { openSqlite } from "#database/database.ts";
import { migrate } from "#database/migration.ts";
import { createTemporaryFolder } from "../../test/support/temporary-folder.ts";
import { fillWithNotifications } from "./fill-with-notifications.ts";

test("a filled database has a feed entry and a result for each notification, and no job", async (t) => {
  const path = join(await createTemporaryFolder(t), "tocsin.db");
  const database = openSqlite(path);
  await migrate(database);
  await database.close();
  await fillWithNotifications(path, { accountIds: ["anna", "ben"], count: 5 });
  const file = new DatabaseSync(path);
  t.after(() => file.close());
  const count = (rows: string) => file.prepare(`select count(*) as count from ${rows}`).get();
  assert.deepEqual(
    { ...count("notification join feed_entry on notification_id = id") },
    { count: 5 },
  );
  assert.deepEqual({ ...count("delivery_page where results like '%accepted%'") }, { count: 5 });
  assert.deepEqual({ ...count("send_job") }, { count: 0 });
  const order = file.prepare("select audience_id from notification order by id").all();
  assert.deepEqual(
    order.map((row) => row["audience_id"]),
    ["anna", "ben", "anna", "ben", "anna"],
  );
});
