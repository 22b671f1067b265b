import assert from "node:assert/strict";
import { test } from "node:test";
import { roundUpWait } from "./round-up-wait.ts";

test("a waiting time is rounded up, in the largest unit that fits into it more than twice", () => {
  assert.deepEqual(roundUpWait(0), { unit: "seconds", count: 1 });
  assert.deepEqual(roundUpWait(5_400), { unit: "seconds", count: 6 });
  assert.deepEqual(roundUpWait(120_000), { unit: "seconds", count: 120 });
  assert.deepEqual(roundUpWait(120_001), { unit: "minutes", count: 3 });
  assert.deepEqual(roundUpWait(600_000), { unit: "minutes", count: 10 });
  assert.deepEqual(roundUpWait(7_200_001), { unit: "hours", count: 3 });
});
