import assert from "node:assert/strict";
import { test } from "node:test";
import { isPostOnly } from "./is-post-only.ts";
import { KEY_PLACEHOLDER } from "./send-request.ts";

const END = "0b9e4c9e-6f6f-4c52-9d38-6a1a3d8f";

test("a key is known by its end, in any letter case, and no other is taken for it", () => {
  const keys = [
    { hint: "2f10", postOnly: true },
    { hint: "aaaa", postOnly: false },
  ];
  assert.equal(isPostOnly(keys, `${END}2f10`), true);
  assert.equal(isPostOnly(keys, `${END}2F10`), true);
  assert.equal(isPostOnly(keys, `${END}aaaa`), false);
  assert.equal(isPostOnly(keys, KEY_PLACEHOLDER), false);
  assert.equal(isPostOnly([], `${END}2f10`), false);
});

test("of two keys with one end, POST is what both take", () => {
  const keys = [
    { hint: "2f10", postOnly: false },
    { hint: "2f10", postOnly: true },
  ];
  assert.equal(isPostOnly(keys, `${END}2f10`), true);
});
