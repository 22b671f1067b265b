import assert from "node:assert/strict";
import { test } from "node:test";
import { countRemainingCharacters } from "./count-remaining-characters.ts";

test("the remaining characters are shown near and over the limit", () => {
  assert.equal(countRemainingCharacters("", 100), null);
  assert.equal(countRemainingCharacters("x".repeat(89), 100), null);
  assert.equal(countRemainingCharacters("x".repeat(90), 100), 10);
  assert.equal(countRemainingCharacters("x".repeat(100), 100), 0);
  assert.equal(countRemainingCharacters("x".repeat(103), 100), -3);
});

test("a character outside the basic plane counts as one", () => {
  assert.equal(countRemainingCharacters("🦊".repeat(95), 100), 5);
});
