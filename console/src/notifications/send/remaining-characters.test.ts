import assert from "node:assert/strict";
import { test } from "node:test";
import { remainingCharacters } from "./remaining-characters.ts";

test("the remaining characters are shown near and over the limit", () => {
  assert.equal(remainingCharacters("", 100), null);
  assert.equal(remainingCharacters("x".repeat(89), 100), null);
  assert.equal(remainingCharacters("x".repeat(90), 100), 10);
  assert.equal(remainingCharacters("x".repeat(100), 100), 0);
  assert.equal(remainingCharacters("x".repeat(103), 100), -3);
});

test("a character outside the basic plane counts as one", () => {
  assert.equal(remainingCharacters("🦊".repeat(95), 100), 5);
});
