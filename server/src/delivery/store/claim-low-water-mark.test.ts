import assert from "node:assert/strict";
import { test } from "node:test";
import { TestClock } from "../../../test/support/test-clock.ts";
import { LANES } from "../delivery.ts";
import { ClaimLowWaterMark } from "./claim-low-water-mark.ts";

const MINUTE_MS = 60_000;
const NOW = 100 * MINUTE_MS;

function createEnabledMark() {
  const clock = new TestClock(NOW);
  return { clock, mark: new ClaimLowWaterMark(true, clock.elapsed) };
}

test("claims scan from 0 until a lane is drained, and always when the mark is disabled", () => {
  const { clock, mark } = createEnabledMark();
  assert.equal(mark.getMark(0, clock.now()), 0);
  mark.recordDrained(0, NOW);
  assert.equal(mark.getMark(0, clock.now()), NOW - 30_000);
  assert.equal(mark.getMark(1, clock.now()), 0);
  const disabled = new ClaimLowWaterMark(false, clock.elapsed);
  disabled.recordDrained(0, NOW);
  assert.equal(disabled.getMark(0, NOW), 0);
});

test("the mark of all lanes is the lowest of them", () => {
  const { mark } = createEnabledMark();
  mark.recordDrained(0, NOW);
  mark.recordDrained(1, NOW + 5);
  assert.equal(mark.getLowestMark(NOW + MINUTE_MS), 0);
  mark.recordDrained(2, NOW + 9);
  assert.equal(mark.getLowestMark(NOW + MINUTE_MS), NOW - 30_000);
});

test("a look-back is due once a minute; if it finds a job, claims scan from 0 again", () => {
  const { clock, mark } = createEnabledMark();
  mark.recordDrained(0, NOW);
  clock.advance(MINUTE_MS - 1);
  assert.equal(mark.isLookBackDue(0, clock.now()), false);
  clock.advance(1);
  assert.equal(mark.isLookBackDue(0, clock.now()), true);
  mark.recordLookBack(0, false);
  assert.equal(mark.getMark(0, clock.now()), NOW - 30_000);
  assert.equal(mark.isLookBackDue(0, clock.now()), false);
  clock.advance(MINUTE_MS);
  mark.recordLookBack(0, true);
  assert.equal(mark.getMark(0, clock.now()), 0);
});

test("a reset makes claims scan from 0 until the lane is drained again", () => {
  const { clock, mark } = createEnabledMark();
  mark.recordDrained(0, NOW);
  mark.reset();
  assert.equal(mark.getMark(0, clock.now()), 0);
  const drainedAt = NOW - 10 * MINUTE_MS;
  mark.recordDrained(0, drainedAt);
  assert.equal(mark.getMark(0, clock.now()), drainedAt - 30_000);
});

test("a mark in the future is ignored", () => {
  const { mark } = createEnabledMark();
  for (const lane of LANES) mark.recordDrained(lane, NOW);
  assert.equal(mark.getMark(0, NOW - 1), 0);
  assert.equal(mark.getLowestMark(NOW - 1), 0);
  assert.equal(mark.getLowestMark(NOW), NOW - 30_000);
});
