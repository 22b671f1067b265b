import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { RateShaper } from "./rate-shaper.ts";

const neverAborted = new AbortController().signal;

function setUp(t: TestContext, perSecond: number) {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"], now: 1_000_000 });
  // The mocked timers move only this clock.
  const elapsed = () => new Date().getTime();
  const shaper = new RateShaper({ perSecond, elapsed });
  const results: boolean[] = [];
  const acquire = (count: number, signal: AbortSignal = neverAborted): void => {
    for (let index = 0; index < count; index += 1) {
      void shaper.acquire(signal).then((isAllowed) => results.push(isAllowed));
    }
  };
  const advance = async (ms: number): Promise<void> => {
    t.mock.timers.tick(ms);
    await new Promise(setImmediate);
  };
  const countAllowed = () => results.filter(Boolean).length;
  return { acquire, advance, countAllowed, results };
}

test("a burst of one second passes immediately, and the other requests at a steady rate", async (t) => {
  const { acquire, advance, countAllowed } = setUp(t, 100);
  acquire(250);
  await advance(0);
  assert.equal(countAllowed(), 100);
  await advance(9);
  assert.equal(countAllowed(), 100);
  await advance(1);
  assert.equal(countAllowed(), 101);
  await advance(490);
  assert.equal(countAllowed(), 150);
  await advance(1_000);
  assert.equal(countAllowed(), 250);
});

test("a pause allows a burst of at most one second", async (t) => {
  const { acquire, advance, countAllowed } = setUp(t, 100);
  acquire(100);
  await advance(60_000);
  acquire(150);
  await advance(0);
  assert.equal(countAllowed(), 200);
});

test("one minute allows at most one burst above the rate", async (t) => {
  const { acquire, advance, countAllowed } = setUp(t, 100);
  acquire(10_000);
  await advance(0);
  for (let second = 0; second < 60; second += 1) await advance(1_000);
  assert.equal(countAllowed(), 60 * 100 + 100);
});

test("a cancelled request leaves its token to another one", async (t) => {
  const { acquire, advance, results } = setUp(t, 100);
  acquire(100);
  const controller = new AbortController();
  acquire(50, controller.signal);
  await advance(0);
  controller.abort();
  await advance(0);
  assert.equal(results.filter((isAllowed) => !isAllowed).length, 50);
  acquire(1);
  await advance(10);
  assert.equal(results.filter(Boolean).length, 101);
  acquire(1, controller.signal);
  await advance(0);
  assert.equal(results.at(-1), false);
});
