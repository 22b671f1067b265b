import assert from "node:assert/strict";
import { test } from "node:test";
import { testContext, type TestedContext } from "../../../test/support/room.ts";
import { countEnded } from "#notifications/activity/store.ts";
import { OutcomeCounters } from "./outcome-counters.ts";

const ALIKE = {
  audience_id: "ann",
  day: 7,
  provider: "apns",
  state: "accepted",
  code: "accepted",
  pace: 3,
} as const;

async function count({ database, newId }: TestedContext, ...counts: readonly number[]) {
  const rows = counts.map((each) => ({ ...ALIKE, id: newId(), count: each }));
  await database.db.insertInto("activity_tally").values(rows).execute();
}

async function addedUp({ database: { db } }: TestedContext): Promise<readonly number[]> {
  const rows = await db.selectFrom("activity").select("count").execute();
  return rows.map((row) => row.count);
}

async function told(context: TestedContext): Promise<readonly number[]> {
  const rows = await countEnded(context, { audienceIds: ["ann"], days: [7] });
  return rows.map((row) => row.count);
}

test("counts are told at once, and added up after ten seconds", async (t) => {
  const context = await testContext(t);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const counters = new OutcomeCounters(context);
  await count(context, 2, 3);
  counters.note();
  t.mock.timers.tick(9_999);
  assert.deepEqual([await addedUp(context), await told(context)], [[], [5]]);
  t.mock.timers.tick(1);
  await counters.stop();
  assert.deepEqual([await addedUp(context), await told(context)], [[5], [5]]);
});

test("later counts are added to those that are there, and none after the end", async (t) => {
  const context = await testContext(t);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const counts = Array.from({ length: 2_500 }, () => 1);
  for (const expected of [2_500, 5_000]) {
    const counters = new OutcomeCounters(context);
    await count(context, ...counts);
    counters.note();
    t.mock.timers.tick(10_000);
    // A run that has begun ends with the page that it is at.
    while ((await addedUp(context))[0] !== expected) await new Promise(setImmediate);
    await counters.stop();
    counters.note();
  }
  await count(context, 1);
  t.mock.timers.tick(60_000);
  assert.deepEqual(await addedUp(context), [5_000]);
});

test("two who add up at once count nothing twice", async (t) => {
  const context = await testContext(t);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  await count(context, ...Array.from({ length: 500 }, () => 1));
  const both = [new OutcomeCounters(context), new OutcomeCounters(context)];
  for (const counters of both) counters.note();
  t.mock.timers.tick(10_000);
  await Promise.all(both.map((counters) => counters.stop()));
  assert.deepEqual(await told(context), [500]);
});
