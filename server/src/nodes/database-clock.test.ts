import assert from "node:assert/strict";
import test from "node:test";
import { DatabaseClock } from "./database-clock.ts";

const HOUR = 3_600_000;

/** A database whose clock is an hour ahead of the monotonic clock here, and whose answers take a while. */
function bench() {
  const elapsed = { ms: 0 };
  const clock = new DatabaseClock(() => elapsed.ms);
  const read = ({ before = 5, after = 5, ahead = HOUR } = {}) =>
    clock.read(async () => {
      elapsed.ms += before;
      const at = Math.floor(elapsed.ms + ahead);
      elapsed.ms += after;
      return at;
    });
  return { elapsed, clock, read };
}

test("between two readings the clock runs by what has elapsed", async () => {
  const { elapsed, clock, read } = bench();
  assert.throws(() => clock.now());
  await read();
  const first = clock.now();
  assert.ok(Math.abs(first - (elapsed.ms + HOUR)) <= 1, `${first}`);
  elapsed.ms += 90_000;
  assert.equal(clock.now(), first + 90_000);
});

test("a slow or lopsided answer moves nothing that still fits", async () => {
  const { elapsed, clock, read } = bench();
  await read();
  for (const [before, after] of [
    [1_900, 0],
    [0, 1_900],
    [700, 20],
  ] as const) {
    await read({ before, after });
    assert.ok(Math.abs(clock.now() - (elapsed.ms + HOUR)) <= 6, `${before} ${after}`);
  }
});

test("a database whose clock is set is followed at once, in both directions", async () => {
  const { elapsed, clock, read } = bench();
  await read();
  for (const ahead of [25 * HOUR, -24 * HOUR]) {
    await read({ ahead });
    assert.ok(Math.abs(clock.now() - (elapsed.ms + ahead)) <= 6);
  }
});
