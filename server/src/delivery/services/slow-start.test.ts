import assert from "node:assert/strict";
import test from "node:test";
import { computeSlowStartDelayMs, computeReleaseLimit, SLOW_START_MS } from "./slow-start.ts";
import { UsualRate } from "./usual-rate.ts";

const SECOND_MS = 1_000;

test("a slow start begins at a tenth of the usual rate and reaches it after a minute", () => {
  const usualRate = 1_000;
  const getReleasedInSecond = (second: number) =>
    computeReleaseLimit((second + 1) * SECOND_MS, usualRate) -
    computeReleaseLimit(second * SECOND_MS, usualRate);
  const inFirstTen = computeReleaseLimit(10 * SECOND_MS, usualRate);
  assert.ok(
    inFirstTen > 0.1 * usualRate * 10 && inFirstTen < 0.15 * usualRate * 10,
    `${inFirstTen}`,
  );
  assert.ok(Math.abs(getReleasedInSecond(0) - 0.1 * usualRate) < 5, `${getReleasedInSecond(0)}`);
  assert.ok(
    Math.abs(getReleasedInSecond(60) - usualRate) < 0.05 * usualRate,
    `${getReleasedInSecond(60)}`,
  );
});

test("fifty waiting messages are released immediately at every usual rate", () => {
  for (const usualRate of [0, 1, 10_000]) assert.equal(computeReleaseLimit(0, usualRate), 50);
});

test("a service without a known rate gets over 50,000 messages in three minutes", () => {
  assert.ok(
    computeReleaseLimit(3 * SLOW_START_MS, 0) > 50_000,
    `${computeReleaseLimit(3 * SLOW_START_MS, 0)}`,
  );
});

test("jobs that become due by themselves follow the rate of a release", () => {
  assert.equal(computeSlowStartDelayMs(0), 0);
  assert.ok(Math.abs(computeSlowStartDelayMs(1) - SLOW_START_MS) < 1);
  const delays = Array.from({ length: 1_000 }, (_, index) =>
    computeSlowStartDelayMs(index / 1_000),
  );
  const first = delays.filter((ms) => ms < 10 * SECOND_MS).length;
  const last = delays.filter((ms) => ms >= 50 * SECOND_MS).length;
  assert.ok(first <= last * 0.16, `${first} of ${last}`);
});

test("the usual rate of a service is the rate of its best ten seconds", () => {
  const usualRate = new UsualRate();
  const accept = (count: number, at: number) => {
    for (let index = 0; index < count; index += 1) usualRate.recordAcceptance(at);
  };
  assert.equal(usualRate.perSecond, 0);
  accept(100, 0);
  accept(400, 9_999);
  assert.equal(usualRate.perSecond, 50);
  accept(300, 10_000);
  assert.equal(usualRate.perSecond, 50);
});
