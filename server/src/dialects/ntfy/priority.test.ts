import assert from "node:assert/strict";
import { test } from "node:test";
import { NtfyError } from "./ntfy-error.ts";
import { parseNtfyPriority, toPriority } from "./priority.ts";

test("a priority is a number or a name in any letter case", () => {
  const names = ["1", "min", "2", "Low", "3", "default", "4", "HIGH", "5", "max", "urgent", ""];
  assert.deepEqual(
    names.map((name) => parseNtfyPriority(name)),
    [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 5, null],
  );
});

test("any other priority is refused with 40007", () => {
  for (const text of ["0", "6", "emergency", "u=1", "3.0", "toString"]) {
    assert.throws(
      () => parseNtfyPriority(text),
      (error) => error instanceof NtfyError && error.ntfyCode === 40007,
    );
  }
});

test("priorities 1 and 2 are low, 3 is normal, 4 and 5 are high", () => {
  assert.deepEqual(
    ([1, 2, 3, 4, 5] as const).map((priority) => toPriority(priority)),
    ["low", "low", "normal", "high", "high"],
  );
});
