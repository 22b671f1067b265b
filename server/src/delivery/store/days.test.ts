import assert from "node:assert/strict";
import test from "node:test";
import { sql } from "kysely";
import { insertNotifications, createNotification } from "../../../test/support/notifications.ts";
import { createDatabase, ON_POSTGRES } from "../../../test/support/database.ts";
import { startStealFreeTimer } from "../../../test/support/steal-time.ts";
import { createRoomContext } from "../../../test/support/context.ts";
import type { Context } from "#context.ts";
import { createDeliveryStore } from "./create-store.ts";
import { createDayPartitions, dropDayPartitions, pruneNotifications } from "./retention.ts";
import { migrate } from "#database/migration.ts";
import { openPostgres } from "#database/postgres.ts";
import { DAY_TABLE_NAMES, LOCK_TIMEOUT_MS, listPartitions } from "#database/day-partitions.ts";
import { findFirstPartitionedId } from "#database/drop-days.ts";
import { prepareDays } from "#database/prepare-days.ts";
import { DAY_MS } from "#schema/timestamp.ts";

const ANN = "ann";

/** Returns the number of rows in each partition of a table that has any. */
async function countByPartition({ database: { db } }: Context, table = "notification") {
  const { rows } = await sql<{ name: string; count: number }>`
    select tableoid::regclass::text as name, count(*) as count
    from ${sql.table(table)} group by 1 order by 1`.execute(db);
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}

function listPartitionNames(context: Context) {
  return listPartitions(context.database.db, "notification").then((partitions) =>
    partitions.map(({ name }) => name.replace("notification_", "")),
  );
}

function send(context: Context, count = 1) {
  const notifications = Array.from({ length: count }, () => createNotification(context, ANN));
  return insertNotifications(context, notifications);
}

test(
  "a row is stored in its day's partition; seven days are created ahead",
  ON_POSTGRES,
  async (t) => {
    const context = await createRoomContext(t);
    await createDayPartitions(context);
    const days = ["01", "02", "03", "04", "05", "06", "07", "08"].map((day) => `from_202601${day}`);
    assert.deepEqual(await listPartitionNames(context), ["past", ...days, "rest"]);
    await send(context);
    context.clock.advance(DAY_MS - 1);
    await send(context);
    context.clock.advance(1);
    await send(context);
    assert.deepEqual(await countByPartition(context), {
      notification_from_20260101: 2,
      notification_from_20260102: 1,
    });
    await createDayPartitions(context);
    assert.deepEqual(await listPartitionNames(context), ["past", ...days, "from_20260109", "rest"]);
  },
);

test(
  "a database that was idle for weeks gets its days again, without gaps",
  ON_POSTGRES,
  async (t) => {
    const context = await createRoomContext(t);
    await createDayPartitions(context);
    context.clock.advance(60 * DAY_MS);
    await createDayPartitions(context);
    const partitions = await listPartitions(context.database.db, "notification");
    for (const [index, { from }] of partitions.entries()) {
      assert.equal(from, index === 0 ? null : partitions[index - 1]?.to);
    }
    await send(context);
    assert.deepEqual(await countByPartition(context), { notification_from_20260302: 1 });
  },
);

test(
  "rows written while no partition was created stay together and are dropped together",
  ON_POSTGRES,
  async (t) => {
    const context = await createRoomContext(t);
    await createDayPartitions(context);
    context.clock.advance(10 * DAY_MS);
    await send(context);
    assert.deepEqual(await countByPartition(context), { notification_rest: 1 });
    // A row that a wrong clock dates far ahead: no partition for its day will exist soon.
    const ahead = context.now() + 400 * DAY_MS;
    const wrongContext = {
      ...context,
      now: () => ahead,
      newId: () => "01ffffff-0000-7000-8000-000000000000",
    };
    await send(wrongContext);
    await createDayPartitions(context);
    assert.deepEqual(await countByPartition(context), {
      notification_from_20260109: 1,
      notification_rest: 1,
    });
    assert.deepEqual(await countByPartition(context, "feed_entry"), {
      feed_entry_from_20260109: 1,
      feed_entry_rest: 1,
    });
    await send(context);
    context.clock.advance(DAY_MS);
    await send(context);
    assert.equal((await countByPartition(context))["notification_from_20260112"], 1);
    await dropDayPartitions(context, context.now());
    assert.deepEqual(await countByPartition(context), {
      notification_from_20260112: 1,
      notification_rest: 1,
    });
  },
);

test("rows written before the first partition are deleted row by row", ON_POSTGRES, async (t) => {
  const context = await createRoomContext(t);
  await send(context, 3);
  context.clock.advance(5 * DAY_MS);
  await send(context, 2);
  await createDayPartitions(context);
  assert.deepEqual(await countByPartition(context), { notification_past: 5 });
  assert.match((await findFirstPartitionedId(context.database)) ?? "", /^019b/);
  const input = { before: context.now() - DAY_MS, limit: 500, createExtraStatements: () => [] };
  assert.equal(await pruneNotifications(context, input), 3);
  assert.deepEqual(await countByPartition(context), { notification_past: 2 });
});

test("an old day is dropped whole, unless it still has a job", ON_POSTGRES, async (t) => {
  const context = await createRoomContext(t);
  await createDayPartitions(context);
  await send(context, 5_000);
  const store = createDeliveryStore(context, "node");
  context.clock.advance(DAY_MS);
  const notification = createNotification(context, ANN);
  const work = { kind: "devices", pending: [] } as const;
  await store.accept([{ notification, lane: 0, work, idempotency: null, takeLease: false }]);
  context.clock.advance(DAY_MS);
  await send(context);
  await dropDayPartitions(context, context.now() - 2 * DAY_MS - 1);
  assert.equal((await countByPartition(context))["notification_from_20260101"], 5_000);
  const startedAt = performance.now();
  await dropDayPartitions(context, context.now());
  t.diagnostic(`${Math.round(performance.now() - startedAt)} ms for four tables`);
  const expected = { notification_from_20260102: 1, notification_from_20260103: 1 };
  assert.deepEqual(await countByPartition(context), expected);
  assert.deepEqual(await countByPartition(context, "feed_entry"), { feed_entry_from_20260103: 1 });
  await context.database.db.deleteFrom("send_job").execute();
  await dropDayPartitions(context, context.now());
  assert.deepEqual(await countByPartition(context), { notification_from_20260103: 1 });
});

test("a long read delays the drop of a day without blocking writes", ON_POSTGRES, async (t) => {
  const context = await createRoomContext(t);
  await createDayPartitions(context);
  await send(context);
  context.clock.advance(2 * DAY_MS);
  const { database } = context;
  const { promise: readEnded, resolve: stopReading } = Promise.withResolvers<void>();
  const { promise: readingBegun, resolve: beginReading } = Promise.withResolvers<void>();
  const reading = database.transaction(async (db) => {
    await db.selectFrom("feed_entry").selectAll().execute();
    beginReading();
    await readEnded;
  });
  await readingBegun;
  let isDropped = false;
  const dropping = dropDayPartitions(context, context.now()).then(() => (isDropped = true));
  const waits: number[] = [];
  for (let index = 0; index < 20; index += 1) {
    const ownMs = startStealFreeTimer();
    await send(context);
    waits.push(ownMs());
  }
  assert.equal(isDropped, false);
  assert.ok(Math.max(...waits) < 3 * LOCK_TIMEOUT_MS + 100, `waited ${Math.max(...waits)} ms`);
  stopReading();
  await reading;
  await dropping;
  assert.deepEqual(await countByPartition(context, "feed_entry"), { feed_entry_from_20260103: 20 });
});

test(
  "nodes that start concurrently create the tables and each day once",
  ON_POSTGRES,
  async (t) => {
    const { location, acquire, release } = await createDatabase(t);
    assert.equal(location.kind, "postgres");
    if (location.kind !== "postgres") return;
    const nodes = Array.from({ length: 4 }, () => openPostgres({ url: location.url }));
    acquire();
    t.after(async () => {
      await Promise.all(nodes.map((node) => node.close()));
      await release();
    });
    await Promise.all(
      nodes.map(async (node) => {
        await migrate(node);
        await prepareDays(node, { now: Date.UTC(2026, 0, 1) });
      }),
    );
    for (const table of DAY_TABLE_NAMES) {
      const [node] = nodes;
      if (node !== undefined) assert.equal((await listPartitions(node.db, table)).length, 10);
    }
  },
);
