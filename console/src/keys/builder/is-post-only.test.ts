import assert from "node:assert/strict";
import { test } from "node:test";
import { isPostOnly } from "./is-post-only.ts";
import { KEY_PLACEHOLDER } from "./send-request.ts";

const KEY_WITHOUT_END = "0b9e4c9e-6f6f-4c52-9d38-6a1a3d8f";

test("a key is identified by its last characters, in any letter case", () => {
  const keys = [
    { hint: "2f10", postOnly: true },
    { hint: "aaaa", postOnly: false },
  ];
  assert.equal(isPostOnly(keys, `${KEY_WITHOUT_END}2f10`), true);
  assert.equal(isPostOnly(keys, `${KEY_WITHOUT_END}2F10`), true);
  assert.equal(isPostOnly(keys, `${KEY_WITHOUT_END}aaaa`), false);
  assert.equal(isPostOnly(keys, KEY_PLACEHOLDER), false);
  assert.equal(isPostOnly([], `${KEY_WITHOUT_END}2f10`), false);
});

test("a key counts as POST-only if another key with the same last characters is", () => {
  const keys = [
    { hint: "2f10", postOnly: false },
    { hint: "2f10", postOnly: true },
  ];
  assert.equal(isPostOnly(keys, `${KEY_WITHOUT_END}2f10`), true);
});
