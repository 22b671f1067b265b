import assert from "node:assert/strict";
import { test } from "node:test";
import { toWait } from "./wait.ts";

test("a wait is rounded up", () => {
  assert.deepEqual(toWait(0), { unit: "seconds", count: 1 });
  assert.deepEqual(toWait(5_400), { unit: "seconds", count: 6 });
  assert.deepEqual(toWait(120_000), { unit: "seconds", count: 120 });
  assert.deepEqual(toWait(120_001), { unit: "minutes", count: 3 });
  assert.deepEqual(toWait(600_000), { unit: "minutes", count: 10 });
  assert.deepEqual(toWait(7_200_001), { unit: "hours", count: 3 });
});
