import assert from "node:assert/strict";
import { test } from "node:test";
import { plainName } from "./plain-name.ts";

test("a name is cut after 40 characters; a name of only punctuation becomes empty", () => {
  assert.equal(plainName("x".repeat(100)).length, 40);
  assert.equal(plainName("𝒳".repeat(100)), "X".repeat(40));
  assert.equal(plainName("..."), "");
});
