import assert from "node:assert/strict";
import { test } from "node:test";
import { roomLeft } from "./room-left.ts";

test("room is told of when it becomes scarce, and what is over the limit", () => {
  assert.equal(roomLeft("", 100), null);
  assert.equal(roomLeft("x".repeat(89), 100), null);
  assert.equal(roomLeft("x".repeat(90), 100), 10);
  assert.equal(roomLeft("x".repeat(100), 100), 0);
  assert.equal(roomLeft("x".repeat(103), 100), -3);
});

test("a character beyond the first plane is one character", () => {
  assert.equal(roomLeft("🦊".repeat(95), 100), 5);
});
