import assert from "node:assert/strict";
import test from "node:test";
import { ProvenTime, type TimeMark } from "./proven-time.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const START = Date.UTC(2026, 0, 31);

/**
 * Creates a proven time whose clocks the test sets: the wall clock is the monotonic clock plus `offsetMs`. `advance`
 * lets time pass in steps, as the timer of a server does.
 */
function setUp(mark: TimeMark | null, wallClockAt = START) {
  const state = { elapsedMs: 5_000, offsetMs: wallClockAt - 5_000 };
  const warnings: string[] = [];
  const marks: TimeMark[] = [];
  const proven = new ProvenTime({
    now: () => state.elapsedMs + state.offsetMs,
    elapsed: () => state.elapsedMs,
    log: { warn: (...facts: unknown[]) => void warnings.push(String(facts[1])), info() {} },
    mark,
    storeMark: async (stored) => void marks.push(stored),
  });
  const advance = (ms: number, stepMs = MINUTE_MS) => {
    for (let remainingMs = ms; remainingMs > 0; remainingMs -= stepMs) {
      state.elapsedMs += Math.min(stepMs, remainingMs);
      proven.now();
    }
  };
  return { state, proven, advance, warnings, marks };
}

const createMark = (at: number): TimeMark => ({ provenAt: at, shownAt: at });

test("the proven time continues after downtime, and equals the wall clock an hour later", () => {
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

test("a server with a new database trusts the wall clock immediately", () => {
  assert.equal(setUp(null).proven.now(), START);
});

test("a wall clock that is 40 days ahead at startup is logged once, and trusted after an hour without a jump", () => {
  const { proven, advance, warnings } = setUp(createMark(START - 40 * DAY_MS));
  advance(HOUR_MS - 1);
  assert.equal(proven.now(), START - 40 * DAY_MS + HOUR_MS - 1);
  assert.match(warnings.join(), /^the clock is more than a day ahead/);
  assert.equal(warnings.length, 1);
  advance(1);
  assert.equal(proven.now(), START + HOUR_MS);
});

/** Shorter than the hour after which a steady clock is trusted. */
const MS_BETWEEN_JUMPS = 50 * MINUTE_MS;
const JUMP_COUNT = 5;

test("a wall clock that keeps jumping ahead is not trusted until it is set back", () => {
  const { state, proven, advance } = setUp(createMark(START));
  for (let jumpCount = 1; jumpCount <= JUMP_COUNT; jumpCount += 1) {
    state.offsetMs += DAY_MS;
    advance(MS_BETWEEN_JUMPS);
    assert.equal(proven.now(), START + jumpCount * MS_BETWEEN_JUMPS);
  }
  state.offsetMs -= JUMP_COUNT * DAY_MS;
  const passedMs = JUMP_COUNT * MS_BETWEEN_JUMPS;
  assert.equal(proven.now(), START + passedMs);
  state.offsetMs -= HOUR_MS;
  assert.equal(proven.now(), START + passedMs - HOUR_MS);
});

test("a notification that has expired only by a doubted wall clock is not treated as expired for an hour", () => {
  const { proven, advance } = setUp(createMark(START - 40 * DAY_MS));
  const acceptedAt = START - 40 * DAY_MS - MINUTE_MS;
  const createLifetime = (createdAt: number, ttlMs: number) => ({
    createdAt,
    expiresAt: createdAt + ttlMs,
  });
  assert.equal(proven.isExpiryInDoubt(createLifetime(acceptedAt, DAY_MS)), true);
  // Accepted after the previous process stored its last mark.
  assert.equal(proven.isExpiryInDoubt(createLifetime(acceptedAt + HOUR_MS, DAY_MS)), true);
  assert.equal(
    proven.isExpiryInDoubt(createLifetime(acceptedAt, 1_000)),
    false,
    "it has expired by both clocks",
  );
  assert.equal(
    proven.isExpiryInDoubt(createLifetime(acceptedAt, 50 * DAY_MS)),
    false,
    "it has expired by neither clock",
  );
  advance(10 * MINUTE_MS);
  assert.equal(
    proven.isExpiryInDoubt(createLifetime(START + MINUTE_MS, MINUTE_MS)),
    false,
    "it was accepted while the wall clock was ahead",
  );
  advance(50 * MINUTE_MS);
  assert.equal(proven.isExpiryInDoubt(createLifetime(acceptedAt, DAY_MS)), false);
});

test("a wall clock that is a day ahead after a day of downtime is not doubted", () => {
  const { proven } = setUp(createMark(START - DAY_MS));
  const createdAt = START - DAY_MS - MINUTE_MS;
  assert.equal(proven.isExpiryInDoubt({ createdAt, expiresAt: createdAt + HOUR_MS }), false);
});

test("the time mark is stored as soon as the wall clock is doubted, and as soon as it is trusted again", async () => {
  const { state, proven, advance, marks } = setUp(createMark(START - 40 * DAY_MS));
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(marks, [{ provenAt: START - 40 * DAY_MS, shownAt: START }]);
  assert.equal(proven.previousReadingAt, START - 40 * DAY_MS);
  advance(MINUTE_MS);
  state.offsetMs -= 40 * DAY_MS;
  advance(MINUTE_MS);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(marks.at(-1)?.shownAt, START - 40 * DAY_MS + 2 * MINUTE_MS);
});
