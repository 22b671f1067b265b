import assert from "node:assert/strict";
import { test } from "node:test";
import { parseRetryAfterMs } from "./retry-after.ts";

const NOW = Date.UTC(2026, 10, 20, 12, 0, 0);

test("seconds and HTTP dates become a wait of at most an hour", () => {
  const cases: readonly (readonly [string | string[] | undefined, number | null])[] = [
    ["2", 2_000],
    ["0", 0],
    [" 120 ", 120_000],
    [["30", "60"], 30_000],
    ["3600", 3_600_000],
    ["86400", 3_600_000],
    ["99999999999999999999", 3_600_000],
    ["Fri, 20 Nov 2026 12:00:30 GMT", 30_000],
    ["Fri, 20 Nov 2026 11:00:00 GMT", 0],
    ["Sat, 21 Nov 2026 12:00:00 GMT", 3_600_000],
  ];
  for (const [header, waitMs] of cases) {
    assert.equal(parseRetryAfterMs(header, NOW), waitMs, String(header));
  }
});

test("a missing or malformed value is ignored", () => {
  for (const header of [undefined, "", "soon", "-5", "1.5", "0x10", "2026-11-20T12:00:30Z", "5s"]) {
    assert.equal(parseRetryAfterMs(header, NOW), null, String(header));
  }
});
