import assert from "node:assert/strict";
import { test } from "node:test";
import { lastSeen } from "./last-seen.ts";

test("a day is named as people name it, from midnight to midnight", () => {
  const now = new Date(2026, 4, 4, 0, 30);
  const seen = (date: Date, language = "en") => lastSeen(date.toISOString(), { now, language });
  assert.equal(seen(new Date(2026, 4, 4, 0, 5)), "today");
  assert.equal(seen(new Date(2026, 4, 3, 23, 55)), "yesterday");
  assert.equal(seen(new Date(2026, 3, 28, 12, 0)), "6 days ago");
  assert.equal(seen(new Date(2026, 4, 3, 23, 55), "de"), "gestern");
});
