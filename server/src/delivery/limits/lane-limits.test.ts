import assert from "node:assert/strict";
import test from "node:test";
import { BULK_LANE } from "../delivery.ts";
import { LaneLimits } from "./lane-limits.ts";

test("bulk never takes the last permit", async () => {
  const attemptLimits = new LaneLimits(3, 2);
  let running = 0;
  let peak = 0;
  const bulk = Array.from({ length: 10 }, async () => {
    const release = await attemptLimits.acquire(BULK_LANE);
    running += 1;
    peak = Math.max(peak, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    release();
  });
  const release = await attemptLimits.acquire(0);
  await Promise.all(bulk);
  assert.equal(peak, 2);
  release();
});
