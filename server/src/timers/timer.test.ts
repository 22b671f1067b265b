import assert from "node:assert/strict";
import test from "node:test";
import { getRetryDelayMs, planNext, type DueTimer } from "./timer.ts";

function createDue(runAt: number): DueTimer {
  const timer = { id: "1", kind: "ring", subjectId: "2", setAt: 0, isAbsolute: false } as const;
  return { timer: { ...timer, runAt, failures: 0 }, lateMs: 0 };
}

test("a repetition is planned from the last plan, and skips missed times", () => {
  for (const [now, next] of [
    [1_000, 31_000],
    [1_250, 31_000],
    [30_999, 31_000],
    [31_000, 61_000],
    [3_600_000, 3_601_000],
  ] as const) {
    assert.equal(planNext(createDue(1_000), 30_000, now), next, `at ${now}`);
  }
});

test("20 late repetitions of 30 seconds take ten minutes", () => {
  let runAt = 30_000;
  for (let round = 1; round < 20; round += 1) {
    runAt = planNext(createDue(runAt), 30_000, runAt + ((round * 97) % 900));
  }
  assert.equal(runAt, 600_000);
});

test("a repetition counts from now if the clock was set back to before its plan", () => {
  assert.equal(planNext(createDue(3_600_000), 30_000, 1_000), 31_000);
});

test("the delays of a failing timer double up to five minutes", () => {
  const delays = Array.from({ length: 8 }, (_, failures) => getRetryDelayMs(failures) / 1_000);
  assert.deepEqual(delays, [5, 10, 20, 40, 80, 160, 300, 300]);
  assert.equal(getRetryDelayMs(2_000), 300_000);
});
