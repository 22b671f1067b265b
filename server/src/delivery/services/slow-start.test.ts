import assert from "node:assert/strict";
import test from "node:test";
import { slowStartDelayMs, releasedBy, SLOW_START_MS } from "./slow-start.ts";
import { UsualRate } from "./usual-rate.ts";

const SECOND_MS = 1_000;

test("a recovered service gets an eighth of its usual rate in the first ten seconds", () => {
  const usual = 1_000;
  const inSecond = (second: number) =>
    releasedBy((second + 1) * SECOND_MS, usual) - releasedBy(second * SECOND_MS, usual);
  const inFirstTen = releasedBy(10 * SECOND_MS, usual);
  assert.ok(inFirstTen > 0.1 * usual * 10 && inFirstTen < 0.15 * usual * 10, `${inFirstTen}`);
  assert.ok(Math.abs(inSecond(0) - 0.1 * usual) < 5, `${inSecond(0)}`);
  assert.ok(Math.abs(inSecond(60) - usual) < 0.05 * usual, `${inSecond(60)}`);
});

test("fifty waiting messages are released immediately at every usual rate", () => {
  for (const usual of [0, 1, 10_000]) assert.equal(releasedBy(0, usual), 50);
});

test("a service without a known rate still finishes its slow start", () => {
  assert.ok(releasedBy(3 * SLOW_START_MS, 0) > 50_000, `${releasedBy(3 * SLOW_START_MS, 0)}`);
});

test("jobs that become due by themselves follow the rate of a release", () => {
  assert.equal(slowStartDelayMs(0), 0);
  assert.ok(Math.abs(slowStartDelayMs(1) - SLOW_START_MS) < 1);
  const delays = Array.from({ length: 1_000 }, (_, index) => slowStartDelayMs(index / 1_000));
  const first = delays.filter((ms) => ms < 10 * SECOND_MS).length;
  const last = delays.filter((ms) => ms >= 50 * SECOND_MS).length;
  assert.ok(first <= last * 0.16, `${first} of ${last}`);
});

test("the usual rate of a service is the rate of its best ten seconds", () => {
  const usual = new UsualRate();
  const accept = (count: number, at: number) => {
    for (let index = 0; index < count; index += 1) usual.note(at);
  };
  assert.equal(usual.perSecond, 0);
  accept(100, 0);
  accept(400, 9_999);
  assert.equal(usual.perSecond, 50);
  accept(300, 10_000);
  assert.equal(usual.perSecond, 50);
});
