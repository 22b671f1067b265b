import assert from "node:assert/strict";
import { test } from "node:test";
import { computeTotals } from "./totals.ts";

test("the delivered share excludes skipped deliveries, and is null without attempts", () => {
  const day = { day: "2026-05-04", sent: 3, delivered: 3, failed: 1, skipped: 9 };
  const totals = { sent: 6, delivered: 6, failed: 2, skipped: 18, share: 0.75 };
  assert.deepEqual(computeTotals([day, day]), totals);
  assert.equal(computeTotals([{ ...day, delivered: 0, failed: 0 }]).share, null);
});
