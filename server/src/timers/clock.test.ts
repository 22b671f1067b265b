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
import type { DueTimer } from "./timer.ts";

const HOUR_MS = 3_600_000;

for (const hours of [1, 24]) {
  test(`durations keep their length and dates their time if the clock is set back by ${hours} h`, async (t) => {
    const context = await createRoomContext(t);
    const fired: DueTimer[] = [];
    const worker = createTimerWorker(t, context);
    for (const kind of ["ring", "release"] as const)
      worker.register(kind, createRemovingHandler(context, fired));
    worker.register("step", async () => {
      throw new Error("broken");
    });
    const at = context.now();
    await storeTimers(context, [
      { kind: "step", subjectId: "failing", runAt: at },
      { kind: "ring", subjectId: "duration", runAt: at + 60_000 },
      { kind: "release", subjectId: "date", runAt: at + 60_000, isAbsolute: true },
    ]);
    worker.start();
    await eventually(
      () => listTimers(context),
      (timers) => timers.some(({ failures }) => failures === 1),
    );
    context.clock.advance(10_000 - hours * HOUR_MS);
    worker.wake();
    const timers = await eventually(
      () => listTimers(context),
      (found) => found.some(({ failures }) => failures === 2),
    );
    assert.deepEqual(
      timers.map(({ subjectId, runInMs, dueInMs }) => [subjectId, runInMs, dueInMs]),
      [
        ["date", 50_000 + hours * HOUR_MS, 50_000 + hours * HOUR_MS],
        ["duration", 60_000, 60_000],
        ["failing", 0, 10_000],
      ],
    );
    assert.deepEqual(fired, []);
  });

  test(`a clock that jumps ahead by ${hours} h fires each timer once`, async (t) => {
    const context = await createRoomContext(t);
    const fired: DueTimer[] = [];
    const worker = createTimerWorker(t, context);
    worker.register("ring", createRemovingHandler(context, fired));
    const runAt = context.now() + 60_000;
    await storeTimers(context, [{ kind: "ring", subjectId: "a", runAt }]);
    worker.start();
    await eventually(
      () => listTimers(context),
      (timers) => timers.length === 1,
    );
    for (const ms of [hours * HOUR_MS, -hours * HOUR_MS, hours * HOUR_MS]) {
      context.clock.advance(ms);
      worker.wake();
      await eventually(
        () => listTimers(context),
        (timers) => timers.length === 0,
      );
    }
    await worker.stop();
    assert.deepEqual(
      fired.map(({ lateMs }) => lateMs),
      [hours * HOUR_MS - 60_000],
    );
  });
}

test("a correction of the clock by one second changes no timer", async (t) => {
  const context = await createRoomContext(t);
  const worker = createTimerWorker(t, context);
  worker.register("ring", createRemovingHandler(context, []));
  await storeTimers(context, [{ kind: "ring", subjectId: "a", runAt: context.now() + 60_000 }]);
  context.clock.advance(-1_000);
  const reads = t.mock.method(context.database.db, "selectFrom");
  worker.start();
  await eventually(
    async () => reads.mock.callCount(),
    (count) => count > 0,
  );
  await worker.stop();
  assert.equal((await listTimers(context))[0]?.runInMs, 61_000);
});
