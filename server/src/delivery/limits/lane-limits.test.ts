import assert from "node:assert/strict";
import test from "node:test";
import { LaneLimits } from "./lane-limits.ts";

test("bulk never takes the last permits", async () => {
  const attemptLimits = new LaneLimits(3, 2);
  const release = Promise.withResolvers<void>();
  const bulk = Array.from({ length: 10 }, () => attemptLimits.run(2, () => release.promise));
  assert.equal(await attemptLimits.run(0, async () => "at once"), "at once");
  release.resolve();
  await Promise.all(bulk);
});
