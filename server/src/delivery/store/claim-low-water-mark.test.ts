import assert from "node:assert/strict";
import { test } from "node:test";
import { ClaimLowWaterMark } from "./claim-low-water-mark.ts";

const MINUTE = 60_000;
const NOW = 100 * MINUTE;

test("until all that is due was taken, and where nothing deleted stays, looks reach to the beginning", () => {
  const horizon = new ClaimLowWaterMark(true);
  assert.equal(horizon.from(0, NOW), 0);
  horizon.drained(0, NOW);
  assert.equal(horizon.from(0, NOW + MINUTE), NOW - 30_000);
  assert.equal(horizon.from(1, NOW), 0);
  const unneeded = new ClaimLowWaterMark(false);
  unneeded.drained(0, NOW);
  assert.equal(unneeded.from(0, NOW), 0);
});

test("all lanes together begin where the first of them does", () => {
  const horizon = new ClaimLowWaterMark(true);
  horizon.drained(0, NOW);
  horizon.drained(1, NOW + 5);
  assert.equal(horizon.first(NOW + MINUTE), 0);
  horizon.drained(2, NOW + 9);
  assert.equal(horizon.first(NOW + MINUTE), NOW - 30_000);
});

test("once a minute it is asked what lies before, and what is found opens everything", () => {
  const horizon = new ClaimLowWaterMark(true);
  horizon.drained(0, NOW);
  assert.equal(horizon.isLookBackDue(0, NOW + MINUTE - 1), false);
  assert.equal(horizon.isLookBackDue(0, NOW + MINUTE), true);
  horizon.lookedBack(0, NOW + MINUTE, false);
  assert.equal(horizon.from(0, NOW + MINUTE), NOW - 30_000);
  assert.equal(horizon.isLookBackDue(0, NOW + MINUTE), false);
  horizon.lookedBack(0, NOW + 2 * MINUTE, true);
  assert.equal(horizon.from(0, NOW + 2 * MINUTE), 0);
});

test("after the clock was set back, looks reach to the beginning until all was taken again", () => {
  const horizon = new ClaimLowWaterMark(true);
  horizon.drained(0, NOW);
  const before = NOW - 10 * MINUTE;
  assert.equal(horizon.from(0, before), 0);
  assert.equal(horizon.from(0, NOW + MINUTE), 0);
  horizon.drained(0, before);
  assert.equal(horizon.from(0, before + MINUTE), before - 30_000);
});
