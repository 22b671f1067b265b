import assert from "node:assert/strict";
import { test } from "node:test";
import { isExpired, parseExpiry, parseLabel } from "./api-key.ts";

test("a key expires exactly at the millisecond of its expiry", () => {
  assert.equal(isExpired({ expiresAt: 1_000 }, 999), false);
  assert.equal(isExpired({ expiresAt: 1_000 }, 1_000), true);
  assert.equal(isExpired({ expiresAt: null }, Number.MAX_SAFE_INTEGER), false);
});

test("a label is sanitised and limited to 80 characters", () => {
  assert.equal(parseLabel(" deploy\u0000 hook\n "), "deploy hook");
  assert.equal(parseLabel("\ud800"), "\ufffd");
  assert.equal(parseLabel(" \t"), null);
  assert.equal(parseLabel(null), null);
  assert.equal(parseLabel("x".repeat(80))?.length, 80);
  assert.throws(() => parseLabel("x".repeat(81)), { code: "invalid_field", field: "label" });
});

test("an expiry is an RFC 3339 time in the future", () => {
  const now = Date.UTC(2026, 0, 1);
  assert.equal(parseExpiry("2026-01-01T00:00:00.001Z", now), now + 1);
  assert.equal(parseExpiry("2026-01-01T03:00:00+02:00", now), now + 3_600_000);
  assert.equal(parseExpiry(null, now), null);
  const invalidInputs = [
    "2026-01-01T00:00:00Z",
    "2025-12-31",
    "2027-01-01",
    "tomorrow",
    "",
    "2027-13-01T00:00:00Z",
  ];
  for (const text of invalidInputs) {
    assert.throws(
      () => parseExpiry(text, now),
      { code: "invalid_field", field: "expiresAt" },
      text,
    );
  }
});
