import assert from "node:assert/strict";
import test from "node:test";
import { DatabaseClock } from "./database-clock.ts";

const HOUR_MS = 3_600_000;

/** `read` takes 10 ms by default, which bounds the error of the offset to half of this, plus rounding. */
const TOLERANCE_MS = 6;

/** Returns a database clock an hour ahead of the local monotonic clock, and a function that reads it slowly. */
function setUp() {
  const elapsed = { ms: 0 };
  const clock = new DatabaseClock(() => elapsed.ms);
  const read = ({ requestMs = 5, responseMs = 5, aheadMs = HOUR_MS } = {}) =>
    clock.read(async () => {
      elapsed.ms += requestMs;
      const at = Math.floor(elapsed.ms + aheadMs);
      elapsed.ms += responseMs;
      return at;
    });
  return { elapsed, clock, read };
}

test("between two readings the clock advances with the monotonic clock", async () => {
  const { elapsed, clock, read } = setUp();
  assert.throws(() => clock.now());
  await read();
  const first = clock.now();
  assert.ok(Math.abs(first - (elapsed.ms + HOUR_MS)) <= 1, `${first}`);
  elapsed.ms += 90_000;
  assert.equal(clock.now(), first + 90_000);
});

test("a slow or asymmetric response does not change an offset that still fits", async () => {
  const { elapsed, clock, read } = setUp();
  await read();
  for (const [requestMs, responseMs] of [
    [1_900, 0],
    [0, 1_900],
    [700, 20],
  ] as const) {
    await read({ requestMs, responseMs });
    const deviationMs = Math.abs(clock.now() - (elapsed.ms + HOUR_MS));
    assert.ok(deviationMs <= TOLERANCE_MS, `${requestMs} ${responseMs}`);
  }
});

test("a change of the database's clock is followed immediately, in both directions", async () => {
  const { elapsed, clock, read } = setUp();
  await read();
  for (const aheadMs of [25 * HOUR_MS, -24 * HOUR_MS]) {
    await read({ aheadMs });
    assert.ok(Math.abs(clock.now() - (elapsed.ms + aheadMs)) <= TOLERANCE_MS);
  }
});
