import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { RateShape } from "./rate-shape.ts";

const neverAborted = new AbortController().signal;

function setUp(t: TestContext, perSecond: number) {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"], now: 1_000_000 });
  // The mocked timers move only this clock.
  const elapsed = () => new Date().getTime();
  const shape = new RateShape({ perSecond, elapsed });
  const results: boolean[] = [];
  const enter = (count: number, signal: AbortSignal = neverAborted): void => {
    for (let index = 0; index < count; index += 1) {
      void shape.enter(signal).then((isAllowed) => results.push(isAllowed));
    }
  };
  const advance = async (ms: number): Promise<void> => {
    t.mock.timers.tick(ms);
    await new Promise(setImmediate);
  };
  const passedCount = () => results.filter(Boolean).length;
  return { enter, advance, passedCount, results };
}

test("a burst of one second passes immediately, the rest at a steady rate", async (t) => {
  const { enter, advance, passedCount } = setUp(t, 100);
  enter(250);
  await advance(0);
  assert.equal(passedCount(), 100);
  await advance(9);
  assert.equal(passedCount(), 100);
  await advance(1);
  assert.equal(passedCount(), 101);
  await advance(490);
  assert.equal(passedCount(), 150);
  await advance(1_000);
  assert.equal(passedCount(), 250);
});

test("a pause allows a burst of at most one second", async (t) => {
  const { enter, advance, passedCount } = setUp(t, 100);
  enter(100);
  await advance(60_000);
  enter(150);
  await advance(0);
  assert.equal(passedCount(), 200);
});

test("one minute allows at most one burst above the rate", async (t) => {
  const { enter, advance, passedCount } = setUp(t, 100);
  enter(10_000);
  await advance(0);
  for (let second = 0; second < 60; second += 1) await advance(1_000);
  assert.equal(passedCount(), 60 * 100 + 100);
});

test("a cancelled request leaves its token to another one", async (t) => {
  const { enter, advance, results } = setUp(t, 100);
  enter(100);
  const controller = new AbortController();
  enter(50, controller.signal);
  await advance(0);
  controller.abort();
  await advance(0);
  assert.equal(results.filter((isAllowed) => !isAllowed).length, 50);
  enter(1);
  await advance(10);
  assert.equal(results.filter(Boolean).length, 101);
  enter(1, controller.signal);
  await advance(0);
  assert.equal(results.at(-1), false);
});
