import assert from "node:assert/strict";
import test from "node:test";
import { WakeableTask } from "./wakeable-task.ts";

const SLEEP_MAX_MS = 30_000;

/** Creates a task whose runs end when the test ends them, with the milliseconds until the next run. */
function createControlledTask() {
  const ends: ((waitMs: number | null) => void)[] = [];
  const task = new WakeableTask({
    runDueWork: () => {
      const { promise, resolve } = Promise.withResolvers<number | null>();
      ends.push(resolve);
      return promise;
    },
    sleepMaxMs: SLEEP_MAX_MS,
  });
  return {
    work: task,
    runCount: () => ends.length,
    end: async (waitMs: number | null) => {
      ends.at(-1)?.(waitMs);
      for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
    },
  };
}

test("a wake-up during a run is followed by another run", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { work, runCount, end } = createControlledTask();
  work.start();
  assert.equal(runCount(), 1);
  work.wake();
  work.wake();
  assert.equal(runCount(), 1);
  await end(SLEEP_MAX_MS);
  assert.equal(runCount(), 2);
  await end(null);
  assert.equal(runCount(), 2);
  work.wake();
  assert.equal(runCount(), 3);
});

test("the next run starts immediately, when it is due, or after the longest sleep", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { work, runCount, end } = createControlledTask();
  work.start();
  await end(0);
  assert.equal(runCount(), 2);
  await end(1_000);
  t.mock.timers.tick(999);
  assert.equal(runCount(), 2);
  t.mock.timers.tick(1);
  assert.equal(runCount(), 3);
  await end(10 * SLEEP_MAX_MS);
  t.mock.timers.tick(SLEEP_MAX_MS);
  assert.equal(runCount(), 4);
});

test("a stop waits for the run in progress, and no run starts after it", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { work, runCount, end } = createControlledTask();
  work.start();
  let isStopped = false;
  const stopping = work.stop().then(() => (isStopped = true));
  work.wake();
  assert.equal(isStopped, false);
  await end(0);
  await stopping;
  t.mock.timers.tick(SLEEP_MAX_MS);
  work.start();
  work.wake();
  assert.equal(runCount(), 1);
});
