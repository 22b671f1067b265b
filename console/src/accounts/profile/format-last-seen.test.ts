import assert from "node:assert/strict";
import { test } from "node:test";
import { formatLastSeen } from "./format-last-seen.ts";

test("a day is relative to today and begins at local midnight", () => {
  const now = new Date(2026, 4, 4, 0, 30);
  const format = (date: Date, language = "en") =>
    formatLastSeen(date.toISOString(), { now, language });
  assert.equal(format(new Date(2026, 4, 4, 0, 5)), "today");
  assert.equal(format(new Date(2026, 4, 3, 23, 55)), "yesterday");
  assert.equal(format(new Date(2026, 3, 28, 12, 0)), "6 days ago");
  assert.equal(format(new Date(2026, 4, 3, 23, 55), "de"), "gestern");
});
