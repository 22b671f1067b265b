import assert from "node:assert/strict";
import { test } from "node:test";
import { createRoomContext, type RoomContext } from "../../../test/support/context.ts";
import { countEnded } from "#notifications/activity/store.ts";
import { OutcomeCounters } from "./outcome-counters.ts";

const KEY = {
  audience_id: "ann",
  day: 7,
  provider: "apns",
  state: "accepted",
  code: "accepted",
  pace: 3,
} as const;

async function insertCounts({ database, newId }: RoomContext, ...counts: readonly number[]) {
  const rows = counts.map((each) => ({ ...KEY, id: newId(), count: each }));
  await database.db.insertInto("activity_tally").values(rows).execute();
}

async function readSums({ database: { db } }: RoomContext): Promise<readonly number[]> {
  const rows = await db.selectFrom("activity").select("count").execute();
  return rows.map((row) => row.count);
}

async function readCounts(context: RoomContext): Promise<readonly number[]> {
  const rows = await countEnded(context, { audienceIds: ["ann"], days: [7] });
  return rows.map((row) => row.count);
}

test("counts are visible immediately, and added up after ten seconds", async (t) => {
  const context = await createRoomContext(t);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const counters = new OutcomeCounters(context);
  await insertCounts(context, 2, 3);
  counters.scheduleAddUp();
  t.mock.timers.tick(9_999);
  assert.deepEqual([await readSums(context), await readCounts(context)], [[], [5]]);
  t.mock.timers.tick(1);
  await counters.stop();
  assert.deepEqual([await readSums(context), await readCounts(context)], [[5], [5]]);
});

test("later counts are added to the sums, but none after the stop", async (t) => {
  const context = await createRoomContext(t);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const counts = Array.from({ length: 2_500 }, () => 1);
  for (const expected of [2_500, 5_000]) {
    const counters = new OutcomeCounters(context);
    await insertCounts(context, ...counts);
    counters.scheduleAddUp();
    t.mock.timers.tick(10_000);
    // A run that is stopped ends after its current page.
    while ((await readSums(context))[0] !== expected) await new Promise(setImmediate);
    await counters.stop();
    counters.scheduleAddUp();
  }
  await insertCounts(context, 1);
  t.mock.timers.tick(60_000);
  assert.deepEqual(await readSums(context), [5_000]);
});

test("two concurrent counters count nothing twice", async (t) => {
  const context = await createRoomContext(t);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  await insertCounts(context, ...Array.from({ length: 500 }, () => 1));
  const instances = [new OutcomeCounters(context), new OutcomeCounters(context)];
  for (const counters of instances) counters.scheduleAddUp();
  t.mock.timers.tick(10_000);
  await Promise.all(instances.map((counters) => counters.stop()));
  assert.deepEqual(await readCounts(context), [500]);
});
