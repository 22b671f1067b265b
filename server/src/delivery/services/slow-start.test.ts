import assert from "node:assert/strict";
import test from "node:test";
import { slowStartDelayMs, releasedBy, SLOW_START_MS } from "./slow-start.ts";
import { UsualRate } from "./usual-rate.ts";

const SECOND = 1_000;

test("a service that is back is given an eighth of what it usually takes in ten seconds, and all after a minute", () => {
  const usual = 1_000;
  const inSecond = (second: number) =>
    releasedBy((second + 1) * SECOND, usual) - releasedBy(second * SECOND, usual);
  const inFirstTen = releasedBy(10 * SECOND, usual);
  assert.ok(inFirstTen > 0.1 * usual * 10 && inFirstTen < 0.15 * usual * 10, `${inFirstTen}`);
  assert.ok(Math.abs(inSecond(0) - 0.1 * usual) < 5, `${inSecond(0)}`);
  assert.ok(Math.abs(inSecond(60) - usual) < 0.05 * usual, `${inSecond(60)}`);
});

test("a few that wait for a service go at once, whatever it usually takes", () => {
  for (const usual of [0, 1, 10_000]) assert.equal(releasedBy(0, usual), 50);
});

test("a service that is not known to take much is given enough that its slow start ends", () => {
  assert.ok(releasedBy(3 * SLOW_START_MS, 0) > 50_000, `${releasedBy(3 * SLOW_START_MS, 0)}`);
});

test("jobs that become due by themselves follow the rate of released ones", () => {
  assert.equal(slowStartDelayMs(0), 0);
  assert.ok(Math.abs(slowStartDelayMs(1) - SLOW_START_MS) < 1);
  const deps = Array.from({ length: 1_000 }, (_, index) => slowStartDelayMs(index / 1_000));
  const first = deps.filter((ms) => ms < 10 * SECOND).length;
  const last = deps.filter((ms) => ms >= 50 * SECOND).length;
  assert.ok(first <= last * 0.16, `${first} of ${last}`);
});

test("the usual rate of a service is that of its best ten seconds", () => {
  const usual = new UsualRate();
  const take = (count: number, at: number) => {
    for (let index = 0; index < count; index += 1) usual.note(at);
  };
  assert.equal(usual.perSecond, 0);
  take(100, 0);
  take(400, 9_999);
  assert.equal(usual.perSecond, 50);
  take(300, 10_000);
  assert.equal(usual.perSecond, 50);
});
