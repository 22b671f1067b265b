import assert from "node:assert/strict";
import test from "node:test";
import { ProvenTime, type TimeMark } from "./proven-time.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const START = Date.UTC(2026, 0, 31);

/** A wall clock that a test sets, beside a monotonic one. */
function room(mark: TimeMark | null, shown = START) {
  const state = { elapsed: 5_000, offset: shown - 5_000 };
  const warnings: string[] = [];
  const marks: TimeMark[] = [];
  const proven = new ProvenTime({
    now: () => state.elapsed + state.offset,
    elapsed: () => state.elapsed,
    log: { warn: (...facts: unknown[]) => void warnings.push(String(facts[1])), info() {} },
    mark,
    remember: async (known) => void marks.push(known),
  });
  const pass = (ms: number, stepMs = MINUTE_MS) => {
    for (let left = ms; left > 0; left -= stepMs) {
      state.elapsed += Math.min(stepMs, left);
      proven.now();
    }
  };
  return { state, proven, pass, warnings, marks };
}

const markAt = (at: number): TimeMark => ({ proven: at, shown: at });

test("after a rest the time goes on where it was, and is the clock's after an hour", () => {
  const { proven, pass, warnings } = room(markAt(START - 3 * HOUR_MS));
  assert.equal(proven.now(), START - 3 * HOUR_MS);
  pass(HOUR_MS - 1);
  assert.equal(proven.now(), START - 2 * HOUR_MS - 1);
  pass(1);
  assert.equal(proven.now(), START + HOUR_MS);
  assert.deepEqual(warnings, []);
});

test("moments are whole milliseconds, though time elapses in parts of them", () => {
  const { proven, pass } = room(markAt(START - 3 * HOUR_MS));
  pass(1.75);
  assert.equal(proven.now(), START - 3 * HOUR_MS + 1);
});

test("a new database has nothing to lose: the clock is right", () => {
  assert.equal(room(null).proven.now(), START);
});

test("a clock 40 days ahead at a start is told once, and believed after an hour that it ran evenly", () => {
  const { proven, pass, warnings } = room(markAt(START - 40 * DAY_MS));
  pass(HOUR_MS - 1);
  assert.equal(proven.now(), START - 40 * DAY_MS + HOUR_MS - 1);
  assert.match(warnings.join(), /^the clock is more than a day ahead/);
  assert.equal(warnings.length, 1);
  pass(1);
  assert.equal(proven.now(), START + HOUR_MS);
});

test("a clock that jumps on never is believed meanwhile, and one that comes back is at once", () => {
  const { state, proven, pass } = room(markAt(START));
  for (let jumps = 1; jumps <= 5; jumps += 1) {
    state.offset += DAY_MS;
    pass(50 * MINUTE_MS);
    assert.equal(proven.now(), START + jumps * 50 * MINUTE_MS);
  }
  state.offset -= 5 * DAY_MS;
  assert.equal(proven.now(), START + 250 * MINUTE_MS);
  state.offset -= HOUR_MS;
  assert.equal(proven.now(), START + 190 * MINUTE_MS);
});

test("a notification from before that is over by the doubted clock alone is in doubt for an hour", () => {
  const { proven, pass } = room(markAt(START - 40 * DAY_MS));
  const accepted = START - 40 * DAY_MS - MINUTE_MS;
  const life = (createdAt: number, lifeMs: number) => ({
    createdAt,
    expiresAt: createdAt + lifeMs,
  });
  assert.equal(proven.isInDoubt(life(accepted, DAY_MS)), true);
  // Accepted after the mark was written.
  assert.equal(proven.isInDoubt(life(accepted + HOUR_MS, DAY_MS)), true);
  assert.equal(proven.isInDoubt(life(accepted, 1_000)), false, "over by any clock");
  assert.equal(proven.isInDoubt(life(accepted, 50 * DAY_MS)), false, "not over");
  pass(10 * MINUTE_MS);
  assert.equal(
    proven.isInDoubt(life(START + MINUTE_MS, MINUTE_MS)),
    false,
    "of the clock's own time",
  );
  pass(50 * MINUTE_MS);
  assert.equal(proven.isInDoubt(life(accepted, DAY_MS)), false);
});

test("a rest of a day leaves no doubt", () => {
  const { proven } = room(markAt(START - DAY_MS));
  const createdAt = START - DAY_MS - MINUTE_MS;
  assert.equal(proven.isInDoubt({ createdAt, expiresAt: createdAt + HOUR_MS }), false);
});

test("the time that a doubted clock showed is remembered at once, and so is the end of the doubt", async () => {
  const { state, proven, pass, marks } = room(markAt(START - 40 * DAY_MS));
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(marks, [{ proven: START - 40 * DAY_MS, shown: START }]);
  assert.equal(proven.shownBefore, START - 40 * DAY_MS);
  pass(MINUTE_MS);
  state.offset -= 40 * DAY_MS;
  pass(MINUTE_MS);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(marks.at(-1)?.shown, START - 40 * DAY_MS + 2 * MINUTE_MS);
});
