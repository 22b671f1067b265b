import assert from "node:assert/strict";
import { test } from "node:test";
import { clockOf, readableCode, tokenOf } from "./code.ts";

test("a code is read in two halves", () => {
  assert.equal(readableCode("ABCDEFGHJK"), "ABCDE-FGHJK");
});

test("a clock counts down to zero and no further", () => {
  assert.equal(clockOf(600_000), "10:00");
  assert.equal(clockOf(544_001), "9:05");
  assert.equal(clockOf(1), "0:01");
  assert.equal(clockOf(-5_000), "0:00");
});

test("the token of a link stands behind the hash", () => {
  assert.equal(tokenOf("https://push.example.org/add#token=a-_B"), "a-_B");
  assert.equal(tokenOf("https://push.example.org/add"), "");
});
