import assert from "node:assert/strict";
import test from "node:test";
import { sql } from "kysely";
import { createRoomContext, type RoomContext } from "../../test/support/context.ts";
import { listTimers, storeTimers } from "../../test/support/timers.ts";
import {
  countTimers,
  didAffectTimer,
  moveTimerQuery,
  readTimerPage,
  recordFailure,
  removeTimerQuery,
  removeTimersQuery,
  setTimerQuery,
  type StoredTimer,
} from "./store.ts";

const NEVER = sql<boolean>`exists (select 1 from setting where name = 'missing')`;
const RING = { kind: "ring", subjectId: "a" } as const;

async function readFirst(context: RoomContext): Promise<StoredTimer> {
  const { timers } = await readTimerPage(context, { kinds: ["ring", "step"], max: 1 });
  assert.ok(timers[0] !== undefined);
  return timers[0];
}

test("a timer that is set again replaces the earlier one and forgets its failures", async (t) => {
  const context = await createRoomContext(t);
  const runAt = context.now() + 60_000;
  await storeTimers(context, [{ ...RING, runAt, isAbsolute: true }]);
  const earlier = await readFirst(context);
  await recordFailure(context, earlier, runAt + 5_000);
  context.clock.advance(1_000);
  await storeTimers(context, [{ ...RING, runAt }]);
  const [timer, ...others] = await listTimers(context);
  const times = { runInMs: 59_000, dueInMs: 59_000, setInMs: 0 };
  assert.deepEqual(timer, { ...RING, ...times, isAbsolute: false, failures: 0 });
  assert.deepEqual(others, []);
  const results = await context.database.atomically([removeTimerQuery(context, earlier)]);
  assert.deepEqual(results.map(didAffectTimer), [false], "the same time, but another timer");
});

test("a statement changes nothing if its condition is not met", async (t) => {
  const context = await createRoomContext(t);
  await storeTimers(context, [{ ...RING, runAt: context.now() }]);
  const timer = await readFirst(context);
  const before = await listTimers(context);
  const results = await context.database.atomically([
    setTimerQuery(context, { ...RING, runAt: 1 }, NEVER),
    setTimerQuery(context, { kind: "step", subjectId: "a", runAt: 1 }, NEVER),
    moveTimerQuery(context, timer, 1, NEVER),
    removeTimerQuery(context, timer, NEVER),
    removeTimersQuery(context, { subjectId: "a", kinds: ["ring"] }, NEVER),
  ]);
  assert.deepEqual(results.map(didAffectTimer), [false, false, false, false, false]);
  assert.deepEqual(await listTimers(context), before);
});

test("a fired timer is moved or removed only once", async (t) => {
  const context = await createRoomContext(t);
  await storeTimers(context, [{ ...RING, runAt: context.now() }]);
  const timer = await readFirst(context);
  const move = () =>
    context.database.atomically([
      moveTimerQuery(context, timer, timer.runAt + 30_000),
      removeTimerQuery(context, timer),
    ]);
  const results = (await Promise.all([move(), move(), move()])).flat().map(didAffectTimer);
  assert.equal(results.filter((didAffect) => didAffect).length, 1);
  assert.equal((await readFirst(context)).runAt, timer.runAt + 30_000);
  const removal = removeTimerQuery(context, await readFirst(context));
  assert.deepEqual((await context.database.atomically([removal])).map(didAffectTimer), [true]);
  assert.deepEqual(await listTimers(context), []);
});

test("a failure is counted once, and not after a change of the timer", async (t) => {
  const context = await createRoomContext(t);
  const runAt = context.now();
  await storeTimers(context, [{ ...RING, runAt }]);
  const timer = await readFirst(context);
  for (const dueAt of [runAt + 5_000, runAt + 7_000]) await recordFailure(context, timer, dueAt);
  const failed = await readFirst(context);
  assert.deepEqual([failed.failures, failed.dueAt, failed.runAt], [1, runAt + 5_000, runAt]);
  await context.database.atomically([moveTimerQuery(context, timer, runAt + 30_000)]);
  await recordFailure(context, failed, runAt + 10_000);
  const moved = await readFirst(context);
  assert.deepEqual([moved.failures, moved.dueAt], [0, runAt + 30_000]);
});

test("the timers of a subject are removed by kind", async (t) => {
  const context = await createRoomContext(t);
  const runAt = context.now();
  await storeTimers(context, [
    { ...RING, runAt },
    { kind: "step", subjectId: "a", runAt },
    { kind: "expire", subjectId: "a", runAt },
    { ...RING, subjectId: "b", runAt },
  ]);
  const removed = { subjectId: "a", kinds: ["ring", "step"] } as const;
  await context.database.atomically([removeTimersQuery(context, removed)]);
  const remainingTimers = (await listTimers(context)).map(
    ({ kind, subjectId }) => `${kind} ${subjectId}`,
  );
  assert.deepEqual(remainingTimers, ["expire a", "ring b"]);
});

test("due and failing timers are counted", async (t) => {
  const context = await createRoomContext(t);
  assert.deepEqual(await countTimers(context), { due: 0, failing: 0 });
  const at = context.now();
  await storeTimers(context, [
    { ...RING, runAt: at },
    { ...RING, subjectId: "b", runAt: at + 1 },
    { ...RING, subjectId: "c", runAt: at - 1 },
  ]);
  await recordFailure(context, await readFirst(context), at + 5_000);
  assert.deepEqual(await countTimers(context), { due: 1, failing: 1 });
});
