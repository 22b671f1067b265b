import assert from "node:assert/strict";
import { test } from "node:test";
import { waitOf } from "./wait.ts";

test("a wait is never said to be shorter than it is", () => {
  assert.deepEqual(waitOf(0), { unit: "seconds", count: 1 });
  assert.deepEqual(waitOf(5_400), { unit: "seconds", count: 6 });
  assert.deepEqual(waitOf(120_000), { unit: "seconds", count: 120 });
  assert.deepEqual(waitOf(120_001), { unit: "minutes", count: 3 });
  assert.deepEqual(waitOf(600_000), { unit: "minutes", count: 10 });
  assert.deepEqual(waitOf(7_200_001), { unit: "hours", count: 3 });
});
