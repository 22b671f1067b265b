import assert from "node:assert/strict";
import { test } from "node:test";
import { parseTimestamp } from "./timestamp.ts";

test("a time from 1970 on with a time zone is parsed, and so is a day", () => {
  assert.equal(parseTimestamp("2026-01-31T12:00:00Z"), Date.UTC(2026, 0, 31, 12));
  assert.equal(
    parseTimestamp("2026-01-31T12:00:00.250+02:00"),
    Date.UTC(2026, 0, 31, 10, 0, 0, 250),
  );
  assert.equal(parseTimestamp("2026-01-31"), Date.UTC(2026, 0, 31));
  assert.equal(parseTimestamp("1970-01-01"), 0);
});

test("any other string is rejected", () => {
  for (const text of [
    "",
    "yesterday",
    "1767225600000",
    "2026-02-31",
    "2026-02-31T12:00:00Z",
    "2026-13-01",
    "2026-01-31T12:00:00",
    "2026-01-31T25:00:00Z",
    "2026-01-31 12:00",
    "1969-12-31T23:00:00Z",
  ]) {
    assert.equal(parseTimestamp(text), null, text);
  }
});
