import assert from "node:assert/strict";
import { test } from "node:test";
import { TestClock } from "../../../test/support/room.ts";
import { LANES } from "../delivery.ts";
import { ClaimLowWaterMark } from "./claim-low-water-mark.ts";

const MINUTE = 60_000;
const NOW = 100 * MINUTE;

function needed() {
  const clock = new TestClock(NOW);
  return { clock, mark: new ClaimLowWaterMark(true, clock.elapsed) };
}

test("until all that is due was taken, and where nothing deleted stays, looks reach to the beginning", () => {
  const { clock, mark } = needed();
  assert.equal(mark.from(0, clock.now()), 0);
  mark.drained(0, NOW);
  assert.equal(mark.from(0, clock.now()), NOW - 30_000);
  assert.equal(mark.from(1, clock.now()), 0);
  const unneeded = new ClaimLowWaterMark(false, clock.elapsed);
  unneeded.drained(0, NOW);
  assert.equal(unneeded.from(0, NOW), 0);
});

test("all lanes together begin where the first of them does", () => {
  const { mark } = needed();
  mark.drained(0, NOW);
  mark.drained(1, NOW + 5);
  assert.equal(mark.first(NOW + MINUTE), 0);
  mark.drained(2, NOW + 9);
  assert.equal(mark.first(NOW + MINUTE), NOW - 30_000);
});

test("once a minute it is asked what lies before, and what is found opens everything", () => {
  const { clock, mark } = needed();
  mark.drained(0, NOW);
  clock.advance(MINUTE - 1);
  assert.equal(mark.isLookBackDue(0, clock.now()), false);
  clock.advance(1);
  assert.equal(mark.isLookBackDue(0, clock.now()), true);
  mark.lookedBack(0, false);
  assert.equal(mark.from(0, clock.now()), NOW - 30_000);
  assert.equal(mark.isLookBackDue(0, clock.now()), false);
  clock.advance(MINUTE);
  mark.lookedBack(0, true);
  assert.equal(mark.from(0, clock.now()), 0);
});

test("after jobs were made due before what was taken, looks reach to the beginning until all was taken again", () => {
  const { clock, mark } = needed();
  mark.drained(0, NOW);
  mark.forget();
  assert.equal(mark.from(0, clock.now()), 0);
  const before = NOW - 10 * MINUTE;
  mark.drained(0, before);
  assert.equal(mark.from(0, clock.now()), before - 30_000);
});

test("a mark ahead of the present moment holds nothing back", () => {
  const { mark } = needed();
  for (const lane of LANES) mark.drained(lane, NOW);
  assert.equal(mark.from(0, NOW - 1), 0);
  assert.equal(mark.first(NOW - 1), 0);
  assert.equal(mark.first(NOW), NOW - 30_000);
});
