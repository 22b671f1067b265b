import assert from "node:assert/strict";
import test from "node:test";
import { eventually } from "../../test/support/eventually.ts";
import { createRoomContext } from "../../test/support/context.ts";
import {
  createRemovingHandler,
  createTimerWorker,
  listTimers,
  storeTimers,
} from "../../test/support/timers.ts";
import { moveTimerQuery } from "./store.ts";
import { planNext, type DueTimer, type TimerKind } from "./timer.ts";

/** The limit of a wait, in round trips to the database or turns of the event loop. */
const TICKS_MAX = 1_000;

test("a timer fires once with two workers on one database, and reports how late it is", async (t) => {
  const context = await createRoomContext(t);
  const fired: DueTimer[] = [];
  const latenesses: number[] = [];
  const runAt = context.now();
  const subjectIds = Array.from({ length: 150 }, (_, index) => String(index).padStart(3, "0"));
  await storeTimers(
    context,
    subjectIds.map((subjectId) => ({ kind: "ring", subjectId, runAt })),
  );
  context.clock.advance(250);
  for (const random of [() => 0, () => 0.5]) {
    const observeLateness = (lateMs: number) => void latenesses.push(lateMs);
    const worker = createTimerWorker(t, context, { random, observeLateness });
    worker.register("ring", createRemovingHandler(context, fired));
    worker.start();
  }
  await eventually(
    () => listTimers(context),
    (timers) => timers.length === 0,
  );
  await eventually(
    async () => fired.map(({ timer }) => timer.subjectId).toSorted(),
    (ids) => ids.length >= subjectIds.length,
  );
  assert.deepEqual(fired.map(({ timer }) => timer.subjectId).toSorted(), subjectIds);
  assert.deepEqual(new Set(fired.map(({ lateMs }) => lateMs)), new Set([250]));
  assert.deepEqual(new Set(latenesses), new Set([250]));
});

test("two workers begin at different timers", async (t) => {
  const context = await createRoomContext(t);
  const runAt = context.now();
  const drafts = Array.from({ length: 8 }, (_, index) => String(index));
  await storeTimers(
    context,
    drafts.map((subjectId) => ({ kind: "step", subjectId, runAt })),
  );
  const firsts: string[] = [];
  for (const random of [() => 0, () => 0.5]) {
    const begun = Promise.withResolvers<string>();
    const worker = createTimerWorker(t, context, { random });
    worker.register("step", async ({ timer }) => begun.resolve(timer.subjectId));
    worker.start();
    firsts.push(await begun.promise);
    await worker.stop();
  }
  assert.equal(Number(firsts[1]) - Number(firsts[0]), 4);
});

test("a process that dies between the read and the change loses no timer", async (t) => {
  const context = await createRoomContext(t);
  await storeTimers(context, [{ kind: "ring", subjectId: "a", runAt: context.now() }]);
  const read = Promise.withResolvers<void>();
  const death = Promise.withResolvers<void>();
  const fired: DueTimer[] = [];
  const dying = createTimerWorker(t, context);
  const handle = createRemovingHandler(context, fired);
  dying.register("ring", async (due) => {
    read.resolve();
    await death.promise;
    await handle(due);
  });
  dying.start();
  await read.promise;
  const successor = createTimerWorker(t, context);
  successor.register("ring", handle);
  successor.start();
  await eventually(
    async () => fired.length,
    (count) => count === 1,
  );
  // A process that was only frozen finds that the timer is gone.
  death.resolve();
  await dying.stop();
  assert.equal(fired.length, 1);
});

test("a timer that is due earlier than one set before fires first, and each fires at its time", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const context = await createRoomContext(t);
  const fired: DueTimer[] = [];
  const published: number[] = [];
  const publishTimerSet = (at: number) => void published.push(at);
  const worker = createTimerWorker(t, context, { publishTimerSet });
  worker.register("ring", createRemovingHandler(context, fired));
  worker.start();
  const set = async (subjectId: string, inMs: number) => {
    const runAt = context.now() + inMs;
    await storeTimers(context, [{ kind: "ring", subjectId, runAt }]);
    worker.wakeAt(runAt);
    return runAt;
  };
  const pass = async (ms: number) => {
    for (let passedMs = 0; passedMs < ms; passedMs += 500) {
      context.clock.advance(500);
      // The worker may set its timeout only now.
      for (let count = 0; count < 5; count += 1) await listTimers(context);
      t.mock.timers.tick(500);
    }
  };
  const waitForSubjects = async (...subjectIds: readonly string[]) => {
    // A timeout that the worker sets late also ends late.
    for (let tick = 0; tick < TICKS_MAX && fired.length < subjectIds.length; tick += 1) {
      await listTimers(context);
      t.mock.timers.tick(1);
    }
    assert.deepEqual(
      fired.map(({ timer }) => timer.subjectId),
      subjectIds,
    );
  };
  const times = [await set("late", 40_000), await set("early", 10_000)];
  await pass(9_000);
  await waitForSubjects();
  await pass(1_500);
  await waitForSubjects("early");
  await pass(28_000);
  await waitForSubjects("early");
  await pass(1_500);
  await waitForSubjects("early", "late");
  assert.deepEqual(published, times);
});

test("a worker reads once and writes nothing while no timer is stored", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const context = await createRoomContext(t);
  const { db } = context.database;
  const reads = t.mock.method(db, "selectFrom");
  const writes = [t.mock.method(db, "updateTable"), t.mock.method(db, "deleteFrom")];
  const worker = createTimerWorker(t, context);
  worker.start();
  assert.equal(reads.mock.callCount(), 0, "without a handler");
  worker.register("ring", createRemovingHandler(context, []));
  for (let tick = 0; tick < TICKS_MAX; tick += 1) await new Promise(setImmediate);
  context.clock.advance(3_600_000);
  t.mock.timers.tick(3_600_000);
  for (let tick = 0; tick < TICKS_MAX; tick += 1) await new Promise(setImmediate);
  await worker.stop();
  assert.equal(reads.mock.callCount(), 1);
  assert.deepEqual(
    writes.map(({ mock }) => mock.callCount()),
    [0, 0],
  );
});

test("a stopped worker finishes the timers that it has begun, and begins no other", async (t) => {
  const context = await createRoomContext(t);
  const fired: DueTimer[] = [];
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const handle = createRemovingHandler(context, fired);
  const worker = createTimerWorker(t, context);
  worker.register("ring", async (due) => {
    begun.resolve();
    await end.promise;
    await handle(due);
  });
  const drafts = Array.from({ length: 20 }, (_, index) => String(index));
  await storeTimers(
    context,
    drafts.map((subjectId) => ({ kind: "ring", subjectId, runAt: context.now() }) as const),
  );
  worker.start();
  await begun.promise;
  const stopped = worker.stop();
  end.resolve();
  await stopped;
  const begunCount = fired.length;
  // At most 16 handlers run concurrently.
  assert.ok(begunCount > 0 && begunCount <= 16);
  worker.wakeAt(context.now());
  assert.equal((await listTimers(context)).length, 20 - begunCount);
});

test("a repetition is planned from the last plan, and fires once after an hour without a node", async (t) => {
  const context = await createRoomContext(t);
  const firedAfterMs: number[] = [];
  const start = context.now();
  const createRingWorker = () => {
    const worker = createTimerWorker(t, context);
    worker.register("ring", async (due) => {
      const next = planNext(due, 30_000, context.now());
      await context.database.atomically([moveTimerQuery(context, due.timer, next)]);
      firedAfterMs.push(context.now() - start);
    });
    worker.start();
    return worker;
  };
  await storeTimers(context, [{ kind: "ring", subjectId: "a", runAt: start + 30_000 }]);
  const worker = createRingWorker();
  context.clock.advance(30_100);
  worker.wake();
  await eventually(
    async () => firedAfterMs.length,
    (count) => count === 1,
  );
  await worker.stop();
  context.clock.advance(3_600_000);
  createRingWorker();
  const [timer] = await eventually(
    () => listTimers(context),
    ([first]) => (first?.dueInMs ?? 0) > 0,
  );
  assert.deepEqual(firedAfterMs, [30_100, 3_630_100]);
  assert.equal(timer?.runInMs, 29_900);
});

test("a second handler for a kind is refused", async (t) => {
  const worker = createTimerWorker(t, await createRoomContext(t));
  const kind: TimerKind = "ring";
  worker.register(kind, async () => {});
  assert.throws(() => worker.register(kind, async () => {}), /ring have a handler already/);
});
