import assert from "node:assert/strict";
import test from "node:test";
import { WakeableTask } from "./wakeable-task.ts";

const SLEEP_MAX_MS = 30_000;
/** More turns of the microtask queue than the task needs to react to the end of a run. */
const MICROTASK_TURNS = 5;

/** Creates a task whose runs last until the test calls `endRun` with the milliseconds until the next run. */
function createControlledTask() {
  const runEnds: ((waitMs: number | null) => void)[] = [];
  const task = new WakeableTask({
    runDueWork: () => {
      const { promise, resolve } = Promise.withResolvers<number | null>();
      runEnds.push(resolve);
      return promise;
    },
    sleepMaxMs: SLEEP_MAX_MS,
  });
  return {
    task,
    countRuns: () => runEnds.length,
    endRun: async (waitMs: number | null) => {
      runEnds.at(-1)?.(waitMs);
      for (let turn = 0; turn < MICROTASK_TURNS; turn += 1) await Promise.resolve();
    },
  };
}

test("a wake-up during a run is followed by another run", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { task, countRuns, endRun } = createControlledTask();
  task.start();
  assert.equal(countRuns(), 1);
  task.wake();
  task.wake();
  assert.equal(countRuns(), 1);
  await endRun(SLEEP_MAX_MS);
  assert.equal(countRuns(), 2);
  await endRun(null);
  assert.equal(countRuns(), 2);
  task.wake();
  assert.equal(countRuns(), 3);
});

test("the next run starts when the last one asked for it, at the latest after the longest sleep", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { task, countRuns, endRun } = createControlledTask();
  task.start();
  await endRun(0);
  assert.equal(countRuns(), 2);
  await endRun(1_000);
  t.mock.timers.tick(999);
  assert.equal(countRuns(), 2);
  t.mock.timers.tick(1);
  assert.equal(countRuns(), 3);
  await endRun(10 * SLEEP_MAX_MS);
  t.mock.timers.tick(SLEEP_MAX_MS);
  assert.equal(countRuns(), 4);
});

test("stop waits for the run in progress, and no run starts after it", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { task, countRuns, endRun } = createControlledTask();
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
  assert.equal(countRuns(), 1);
});
