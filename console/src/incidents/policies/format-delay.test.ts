import assert from "node:assert/strict";
import { test } from "node:test";
import { formatDelay } from "./format-delay.ts";

test("a delay is written in its largest units, without those that are zero", () => {
  const delays = [1, 60, 90, 900, 5_400, 86_400, 604_800, 90_061];
  assert.deepEqual(
    delays.map((seconds) => formatDelay(seconds).replaceAll("\u00a0", " ")),
    ["1 s", "1 min", "1 min 30 s", "15 min", "1 h 30 min", "1 d", "7 d", "1 d 1 h 1 min 1 s"],
  );
});
