import assert from "node:assert/strict";
import test from "node:test";
import { CompiledQuery } from "kysely";
import { ON_SQLITE } from "../../../test/support/database.ts";
import { createNotification } from "../../../test/support/notifications.ts";
import { createRoomContext } from "../../../test/support/context.ts";
import { createPendingDevices } from "#delivery/delivery.ts";
import { createDeliveryStore } from "#delivery/store/create-store.ts";
import { rowsWithoutId } from "#database/migrations/0039-rows-without-id.ts";
import { createFeedEntryRow } from "./store.ts";

const TABLES = ["feed_entry", "send_job", "activity_tally"] as const;

test("a rebuilt table keeps its rows and its indexes", ON_SQLITE, async (t) => {
  const context = await createRoomContext(t);
  const { db } = context.database;
  const store = createDeliveryStore(context, "node");
  const work = { kind: "devices", pending: createPendingDevices(["a"], 0) } as const;
  const requests = ["bob", "ann", "bob"].map((accountId) => {
    const notification = createNotification(context, accountId);
    const extraRows = [createFeedEntryRow(notification)];
    return { notification, lane: 0, work, extraRows, idempotency: null, takeLease: true } as const;
  });
  await store.accept(requests);
  const key = {
    audience_id: "ann",
    day: 1,
    provider: "apns",
    state: "accepted",
    code: "accepted",
  };
  const values = { pace: 1, count: 2 };
  await db
    .insertInto("activity_tally")
    .values({ id: "1", ...key, ...values } as never)
    .execute();
  // SQL of SQLite's own table of tables and indexes.
  const readSchema = async () =>
    (await db.executeQuery(CompiledQuery.raw("select name, sql from sqlite_schema order by name")))
      .rows;
  const readRows = () =>
    Promise.all(TABLES.map((table) => db.selectFrom(table).selectAll().execute()));
  const schema = await readSchema();
  const rows = await readRows();
  assert.deepEqual(
    rows.map(({ length }) => length),
    [3, 3, 1],
  );
  await rowsWithoutId.up(context.database);
  assert.deepEqual(await readRows(), rows);
  assert.deepEqual(await readSchema(), schema);
});
