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
    task,
    runCount: () => ends.length,
    endRun: async (waitMs: number | null) => {
      ends.at(-1)?.(waitMs);
      for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
    },
  };
}

test("a wake-up during a run is followed by another run", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { task, runCount, endRun } = createControlledTask();
  task.start();
  assert.equal(runCount(), 1);
  task.wake();
  task.wake();
  assert.equal(runCount(), 1);
  await endRun(SLEEP_MAX_MS);
  assert.equal(runCount(), 2);
  await endRun(null);
  assert.equal(runCount(), 2);
  task.wake();
  assert.equal(runCount(), 3);
});

test("the next run starts immediately, when it is due, or after the longest sleep", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { task, runCount, endRun } = createControlledTask();
  task.start();
  await endRun(0);
  assert.equal(runCount(), 2);
  await endRun(1_000);
  t.mock.timers.tick(999);
  assert.equal(runCount(), 2);
  t.mock.timers.tick(1);
  assert.equal(runCount(), 3);
  await endRun(10 * SLEEP_MAX_MS);
  t.mock.timers.tick(SLEEP_MAX_MS);
  assert.equal(runCount(), 4);
});

test("a stop waits for the run in progress, and no run starts after it", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { task, runCount, endRun } = createControlledTask();
  task.start();
  let isStopped = false;
  const stopping = task.stop().then(() => (isStopped = true));
  task.wake();
  assert.equal(isStopped, false);
  await endRun(0);
  await stopping;
  t.mock.timers.tick(SLEEP_MAX_MS);
  task.start();
  task.wake();
  assert.equal(runCount(), 1);
});
