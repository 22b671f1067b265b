import assert from "node:assert/strict";
import test from "node:test";
import { WokenWork } from "./woken-work.ts";

const SLEEP_MAX_MS = 30_000;

/** Work that ends when the test says so, with the milliseconds until it must run again. */
function stage() {
  const ends: ((waitMs: number | null) => void)[] = [];
  const work = new WokenWork({
    work: () => {
      const { promise, resolve } = Promise.withResolvers<number | null>();
      ends.push(resolve);
      return promise;
    },
    sleepMaxMs: SLEEP_MAX_MS,
  });
  return {
    work,
    begun: () => ends.length,
    end: async (waitMs: number | null) => {
      ends.at(-1)?.(waitMs);
      for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
    },
  };
}

test("a wake-up during the work is followed by another round", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { work, begun, end } = stage();
  work.start();
  assert.equal(begun(), 1);
  work.wake();
  work.wake();
  assert.equal(begun(), 1);
  await end(SLEEP_MAX_MS);
  assert.equal(begun(), 2);
  await end(null);
  assert.equal(begun(), 2);
  work.wake();
  assert.equal(begun(), 3);
});

test("it looks again at once, at its time, or after the longest sleep", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { work, begun, end } = stage();
  work.start();
  await end(0);
  assert.equal(begun(), 2);
  await end(1_000);
  t.mock.timers.tick(999);
  assert.equal(begun(), 2);
  t.mock.timers.tick(1);
  assert.equal(begun(), 3);
  await end(10 * SLEEP_MAX_MS);
  t.mock.timers.tick(SLEEP_MAX_MS);
  assert.equal(begun(), 4);
});

test("a stop waits for the work under way, and nothing begins after it", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { work, begun, end } = stage();
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
  assert.equal(begun(), 1);
});
