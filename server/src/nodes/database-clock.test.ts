import assert from "node:assert/strict";
import test from "node:test";
import { DatabaseClock } from "./database-clock.ts";

const HOUR_MS = 3_600_000;

/** Returns a database clock an hour ahead of the local monotonic clock, and a function that reads it slowly. */
function setUp() {
  const elapsed = { ms: 0 };
  const clock = new DatabaseClock(() => elapsed.ms);
  const read = ({ before = 5, after = 5, ahead = HOUR_MS } = {}) =>
    clock.read(async () => {
      elapsed.ms += before;
      const at = Math.floor(elapsed.ms + ahead);
      elapsed.ms += after;
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
  for (const [before, after] of [
    [1_900, 0],
    [0, 1_900],
    [700, 20],
  ] as const) {
    await read({ before, after });
    assert.ok(Math.abs(clock.now() - (elapsed.ms + HOUR_MS)) <= 6, `${before} ${after}`);
  }
});

test("a change of the database's clock is followed immediately, in both directions", async () => {
  const { elapsed, clock, read } = setUp();
  await read();
  for (const ahead of [25 * HOUR_MS, -24 * HOUR_MS]) {
    await read({ ahead });
    assert.ok(Math.abs(clock.now() - (elapsed.ms + ahead)) <= 6);
  }
});
