import assert from "node:assert/strict";
import { test } from "node:test";
import { toPlainName } from "./plain-name.ts";

test("a name is cut after 40 characters; a name of only dots becomes empty", () => {
  assert.equal(toPlainName("x".repeat(100)).length, 40);
  assert.equal(toPlainName("𝒳".repeat(100)), "X".repeat(40));
  assert.equal(toPlainName("..."), "");
});
