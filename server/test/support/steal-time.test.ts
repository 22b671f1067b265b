import assert from "node:assert/strict";
import test from "node:test";
import {
  subtractStealTime,
  parseProcessorTimes,
  startStealFreeTimer,
  computeStealShare,
} from "./steal-time.ts";

const PROC_STAT_TEXT =
  "cpu  990519 311 127941 953205 29290 7 14579 620933 0 0\ncpu0 1 2 3 4 5 6 7 8 9 0\n";

test("idle time is neither used nor stolen", () => {
  assert.deepEqual(parseProcessorTimes(PROC_STAT_TEXT), {
    used: 990_519 + 311 + 127_941 + 7 + 14_579,
    stolen: 620_933,
  });
});

test("the stolen share is relative to the requested processor time", () => {
  const before = { used: 100, stolen: 50 };
  assert.equal(computeStealShare(before, { used: 130, stolen: 120 }), 0.7);
  assert.equal(computeStealShare(before, { used: 130, stolen: 50 }), 0);
  assert.equal(computeStealShare(before, before), 0);
});

test("an almost idle period loses no more than the stolen time", () => {
  const before = { used: 100, stolen: 50 };
  assert.equal(subtractStealTime(1_000, { before, after: { used: 100, stolen: 51 } }), 990);
  assert.equal(
    Math.round(subtractStealTime(1_000, { before, after: { used: 130, stolen: 120 } })),
    300,
  );
  assert.equal(subtractStealTime(1_000, { before, after: before }), 1_000);
});

test("time without steal time is never longer than elapsed time", async () => {
  const startedAt = performance.now();
  const readElapsedMs = startStealFreeTimer();
  await new Promise((resolve) => setTimeout(resolve, 20));
  const elapsedMs = readElapsedMs();
  assert.ok(elapsedMs >= 0 && elapsedMs <= performance.now() - startedAt, `${elapsedMs} ms`);
});
