import assert from "node:assert/strict";
import test from "node:test";
import { createUnavailableError } from "../../test/support/database.ts";
import { eventually } from "../../test/support/eventually.ts";
import { createRoomContext } from "../../test/support/context.ts";
import {
  createRemovingHandler,
  createTimerWorker,
  listTimers,
  storeTimers,
} from "../../test/support/timers.ts";
import type { DueTimer } from "./timer.ts";

/** More round trips to the database, or turns of the event loop, than an unwanted repetition would need. */
const TICKS = 1_000;

test("a failing timer keeps its planned time, is tried again later, and delays no other timer", async (t) => {
  const context = await createRoomContext(t);
  const plan = context.now();
  const drafts = Array.from({ length: 100 }, (_, index) => String(index));
  await storeTimers(context, [
    ...drafts.map((subjectId) => ({ kind: "step", subjectId, runAt: plan }) as const),
    { kind: "ring", subjectId: "z", runAt: plan + 1 },
  ]);
  context.clock.advance(1_000);
  const fired: DueTimer[] = [];
  let isBroken = true;
  const worker = createTimerWorker(t, context);
  const handle = createRemovingHandler(context, fired);
  worker.register("step", async (due) => {
    if (isBroken) throw new Error("broken");
    await handle(due);
  });
  worker.register("ring", handle);
  worker.start();
  await eventually(
    async () => fired.map(({ timer }) => timer.kind),
    (kinds) => kinds.includes("ring"),
  );
  const delaysMs = [5_000, 10_000, 20_000];
  for (const [index, delayMs] of delaysMs.entries()) {
    const failures = index + 1;
    await eventually(
      () => listTimers(context),
      (timers) => timers.every((timer) => timer.failures === failures && timer.dueInMs === delayMs),
    );
    context.clock.advance(delayMs);
    isBroken = failures < delaysMs.length;
    worker.wake();
  }
  await eventually(
    async () => fired.length,
    (count) => count === 101,
  );
  const retried = fired.filter(({ timer }) => timer.kind === "step");
  assert.deepEqual(new Set(retried.map(({ timer }) => timer.runAt)), new Set([plan]));
  // The first attempt was a second late.
  assert.deepEqual(
    new Set(retried.map(({ lateMs }) => lateMs)),
    new Set([1_000 + 5_000 + 10_000 + 20_000]),
  );
});

test("a handler that hangs delays no other timer", async (t) => {
  const context = await createRoomContext(t);
  const end = Promise.withResolvers<void>();
  t.after(() => end.resolve());
  const fired: DueTimer[] = [];
  let hangingCount = 0;
  const worker = createTimerWorker(t, context);
  worker.register("step", () => {
    hangingCount += 1;
    return end.promise;
  });
  worker.register("ring", createRemovingHandler(context, fired));
  await storeTimers(context, [{ kind: "step", subjectId: "a", runAt: context.now() }]);
  worker.start();
  for (const subjectId of ["b", "c"]) {
    await storeTimers(context, [{ kind: "ring", subjectId, runAt: context.now() }]);
    worker.wakeAt(context.now());
    await eventually(
      async () => fired.some(({ timer }) => timer.subjectId === subjectId),
      (hasFired) => hasFired,
    );
  }
  assert.equal(hangingCount, 1);
});

test("a timer that its handler leaves due counts as failed", async (t) => {
  const context = await createRoomContext(t);
  await storeTimers(context, [{ kind: "ring", subjectId: "a", runAt: context.now() }]);
  let callCount = 0;
  const worker = createTimerWorker(t, context);
  worker.register("ring", async () => void (callCount += 1));
  worker.start();
  const [timer] = await eventually(
    () => listTimers(context),
    ([first]) => first?.failures === 1,
  );
  assert.deepEqual([timer?.dueInMs, callCount], [5_000, 1]);
});

test("a failure that cannot be recorded pauses the worker", async (t) => {
  const context = await createRoomContext(t);
  await storeTimers(context, [{ kind: "ring", subjectId: "a", runAt: context.now() }]);
  let callCount = 0;
  const worker = createTimerWorker(t, context);
  worker.register("ring", async () => {
    callCount += 1;
    throw createUnavailableError();
  });
  t.mock.method(context.database.db, "updateTable", () => {
    throw createUnavailableError();
  });
  worker.start();
  for (let tick = 0; tick < TICKS; tick += 1) await listTimers(context);
  assert.equal(callCount, 1);
  context.clock.advance(1_000);
  worker.wake();
  await eventually(
    async () => callCount,
    (count) => count === 2,
  );
});

test("a timer of a kind without a handler stays, and causes no further reads", async (t) => {
  const context = await createRoomContext(t);
  const drafts = Array.from({ length: 70 }, (_, index) => String(index));
  await storeTimers(
    context,
    drafts.map((subjectId) => ({ kind: "beat", subjectId, runAt: context.now() - 1 }) as const),
  );
  await storeTimers(context, [{ kind: "ring", subjectId: "a", runAt: context.now() }]);
  const fired: DueTimer[] = [];
  const worker = createTimerWorker(t, context);
  worker.register("ring", createRemovingHandler(context, fired));
  worker.start();
  await eventually(
    async () => fired.length,
    (count) => count === 1,
  );
  const reads = t.mock.method(context.database.db, "selectFrom");
  for (let tick = 0; tick < TICKS; tick += 1) await new Promise(setImmediate);
  // The read that follows the end of the handler may come only now.
  assert.ok(reads.mock.callCount() <= 1);
  await worker.stop();
  assert.deepEqual(new Set((await listTimers(context)).map(({ kind }) => kind)), new Set(["beat"]));
});
