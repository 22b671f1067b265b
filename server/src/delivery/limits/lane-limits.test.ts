import assert from "node:assert/strict";
import test from "node:test";
import { LaneLimits } from "./lane-limits.ts";

test("a large audience never takes the last places", async () => {
  const attemptLimits = new LaneLimits(3, 2);
  const held = Promise.withResolvers<void>();
  const bulk = Array.from({ length: 10 }, () => attemptLimits.use(2, () => held.promise));
  assert.equal(await attemptLimits.use(0, async () => "at once"), "at once");
  held.resolve();
  await Promise.all(bulk);
});
