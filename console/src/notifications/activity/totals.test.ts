import assert from "node:assert/strict";
import { test } from "node:test";
import { totalsOf } from "./totals.ts";

test("the share of what was delivered is that of what was tried", () => {
  const day = { day: "2026-05-04", sent: 3, delivered: 3, failed: 1, skipped: 9 };
  const totals = { sent: 6, delivered: 6, failed: 2, skipped: 18, share: 0.75 };
  assert.deepEqual(totalsOf([day, day]), totals);
  assert.equal(totalsOf([{ ...day, delivered: 0, failed: 0 }]).share, null);
});
