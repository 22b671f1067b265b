import assert from "node:assert/strict";
import test from "node:test";
import { ProvenTime, type TimeMark } from "./proven-time.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const START = Date.UTC(2026, 0, 31);

/** A proven time with a wall clock and a monotonic clock that the test sets. */
function setUp(mark: TimeMark | null, wallClockAt = START) {
  const state = { elapsed: 5_000, offset: wallClockAt - 5_000 };
  const warnings: string[] = [];
  const marks: TimeMark[] = [];
  const proven = new ProvenTime({
    now: () => state.elapsed + state.offset,
    elapsed: () => state.elapsed,
    log: { warn: (...facts: unknown[]) => void warnings.push(String(facts[1])), info() {} },
    mark,
    remember: async (stored) => void marks.push(stored),
  });
  const advance = (ms: number, stepMs = MINUTE_MS) => {
    for (let remainingMs = ms; remainingMs > 0; remainingMs -= stepMs) {
      state.elapsed += Math.min(stepMs, remainingMs);
      proven.now();
    }
  };
  return { state, proven, advance, warnings, marks };
}

const createMark = (at: number): TimeMark => ({ provenAt: at, shownAt: at });

test("after a downtime the proven time continues, and equals the clock after an hour", () => {
  const { proven, advance, warnings } = setUp(createMark(START - 3 * HOUR_MS));
  assert.equal(proven.now(), START - 3 * HOUR_MS);
  advance(HOUR_MS - 1);
  assert.equal(proven.now(), START - 2 * HOUR_MS - 1);
  advance(1);
  assert.equal(proven.now(), START + HOUR_MS);
  assert.deepEqual(warnings, []);
});

test("the proven time is in whole milliseconds, even if fractions elapse", () => {
  const { proven, advance } = setUp(createMark(START - 3 * HOUR_MS));
  advance(1.75);
  assert.equal(proven.now(), START - 3 * HOUR_MS + 1);
});

test("on a new database the clock is trusted immediately", () => {
  assert.equal(setUp(null).proven.now(), START);
});

test("a clock 40 days ahead at the start is logged once, and trusted after a steady hour", () => {
  const { proven, advance, warnings } = setUp(createMark(START - 40 * DAY_MS));
  advance(HOUR_MS - 1);
  assert.equal(proven.now(), START - 40 * DAY_MS + HOUR_MS - 1);
  assert.match(warnings.join(), /^the clock is more than a day ahead/);
  assert.equal(warnings.length, 1);
  advance(1);
  assert.equal(proven.now(), START + HOUR_MS);
});

test("a clock that keeps jumping is not trusted until it is set back", () => {
  const { state, proven, advance } = setUp(createMark(START));
  for (let jumps = 1; jumps <= 5; jumps += 1) {
    state.offset += DAY_MS;
    advance(50 * MINUTE_MS);
    assert.equal(proven.now(), START + jumps * 50 * MINUTE_MS);
  }
  state.offset -= 5 * DAY_MS;
  assert.equal(proven.now(), START + 250 * MINUTE_MS);
  state.offset -= HOUR_MS;
  assert.equal(proven.now(), START + 190 * MINUTE_MS);
});

test("an expiry of an earlier notification by the doubted clock alone is in doubt for an hour", () => {
  const { proven, advance } = setUp(createMark(START - 40 * DAY_MS));
  const acceptedAt = START - 40 * DAY_MS - MINUTE_MS;
  const createLifetime = (createdAt: number, ttlMs: number) => ({
    createdAt,
    expiresAt: createdAt + ttlMs,
  });
  assert.equal(proven.isExpiryInDoubt(createLifetime(acceptedAt, DAY_MS)), true);
  // Accepted after the mark was written.
  assert.equal(proven.isExpiryInDoubt(createLifetime(acceptedAt + HOUR_MS, DAY_MS)), true);
  assert.equal(
    proven.isExpiryInDoubt(createLifetime(acceptedAt, 1_000)),
    false,
    "over by any clock",
  );
  assert.equal(proven.isExpiryInDoubt(createLifetime(acceptedAt, 50 * DAY_MS)), false, "not over");
  advance(10 * MINUTE_MS);
  assert.equal(
    proven.isExpiryInDoubt(createLifetime(START + MINUTE_MS, MINUTE_MS)),
    false,
    "of the clock's own time",
  );
  advance(50 * MINUTE_MS);
  assert.equal(proven.isExpiryInDoubt(createLifetime(acceptedAt, DAY_MS)), false);
});

test("a downtime of a day causes no doubt", () => {
  const { proven } = setUp(createMark(START - DAY_MS));
  const createdAt = START - DAY_MS - MINUTE_MS;
  assert.equal(proven.isExpiryInDoubt({ createdAt, expiresAt: createdAt + HOUR_MS }), false);
});

test("the mark is stored immediately when a doubt starts and ends", async () => {
  const { state, proven, advance, marks } = setUp(createMark(START - 40 * DAY_MS));
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(marks, [{ provenAt: START - 40 * DAY_MS, shownAt: START }]);
  assert.equal(proven.previousReadingAt, START - 40 * DAY_MS);
  advance(MINUTE_MS);
  state.offset -= 40 * DAY_MS;
  advance(MINUTE_MS);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(marks.at(-1)?.shownAt, START - 40 * DAY_MS + 2 * MINUTE_MS);
});
