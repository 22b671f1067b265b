import assert from "node:assert/strict";
import { test } from "node:test";
import { parseSkippedSteps } from "./skipped-steps.ts";

test("skipped steps are parsed, and unknown words are ignored", () => {
  assert.deepEqual([...parseSkippedSteps("mail nonsense address")], ["address", "mail"]);
  assert.deepEqual([...parseSkippedSteps(null)], []);
});
