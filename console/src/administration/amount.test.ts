import assert from "node:assert/strict";
import { test } from "node:test";
import { secondsBetween, sizeOf } from "./amount.ts";

test("a size is said in the unit that people would take, in their language", () => {
  assert.equal(sizeOf(300, "en"), "0.3 kB");
  assert.equal(sizeOf(4_200_000, "de"), "4,2 MB");
  assert.equal(sizeOf(52_000_000_000, "en"), "52 GB");
  assert.equal(sizeOf(9e15, "en"), "9,000 TB");
});

test("two moments differ by seconds, whichever comes first", () => {
  const at = "2026-01-01T00:00:00.000Z";
  assert.equal(secondsBetween(at, Date.parse(at) + 90_400), 90);
  assert.equal(secondsBetween(Date.parse(at) + 90_400, at), 90);
});
