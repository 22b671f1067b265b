import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { RateShape } from "./rate-shape.ts";

const never = new AbortController().signal;

function stage(t: TestContext, perSecond: number) {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"], now: 1_000_000 });
  // The only clock that the mocked timers move.
  const elapsed = () => new Date().getTime();
  const shape = new RateShape({ perSecond, elapsed });
  const entered: boolean[] = [];
  const enter = (count: number, signal: AbortSignal = never): void => {
    for (let asked = 0; asked < count; asked += 1) {
      void shape.enter(signal).then((mayGo) => entered.push(mayGo));
    }
  };
  const pass = async (ms: number): Promise<void> => {
    t.mock.timers.tick(ms);
    await new Promise(setImmediate);
  };
  const gone = () => entered.filter(Boolean).length;
  return { enter, pass, gone, entered };
}

test("one second's worth goes at once, the rest at the steady rate", async (t) => {
  const { enter, pass, gone } = stage(t, 100);
  enter(250);
  await pass(0);
  assert.equal(gone(), 100);
  await pass(9);
  assert.equal(gone(), 100);
  await pass(1);
  assert.equal(gone(), 101);
  await pass(490);
  assert.equal(gone(), 150);
  await pass(1_000);
  assert.equal(gone(), 250);
});

test("a pause saves up one second's worth and no more", async (t) => {
  const { enter, pass, gone } = stage(t, 100);
  enter(100);
  await pass(60_000);
  enter(150);
  await pass(0);
  assert.equal(gone(), 200);
});

test("in no minute go more than a minute's worth and one burst", async (t) => {
  const { enter, pass, gone } = stage(t, 100);
  enter(10_000);
  await pass(0);
  for (let second = 0; second < 60; second += 1) await pass(1_000);
  assert.equal(gone(), 60 * 100 + 100);
});

test("a cancelled request stops waiting and leaves its token to another", async (t) => {
  const { enter, pass, entered } = stage(t, 100);
  enter(100);
  const controller = new AbortController();
  enter(50, controller.signal);
  await pass(0);
  controller.abort();
  await pass(0);
  assert.equal(entered.filter((mayGo) => !mayGo).length, 50);
  enter(1);
  await pass(10);
  assert.equal(entered.filter(Boolean).length, 101);
  enter(1, controller.signal);
  await pass(0);
  assert.equal(entered.at(-1), false);
});
