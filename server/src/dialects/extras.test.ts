import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeExtras, EXTRAS_MAX_BYTES } from "./extras.ts";

test("extras are stored as JSON, and null is stored if there are none", () => {
  assert.equal(encodeExtras({}), null);
  assert.equal(encodeExtras({ priority: 4, tags: ["skull"] }), '{"priority":4,"tags":["skull"]}');
});

test("extras that are too large lose the least important parts first", () => {
  const large = "ü".repeat(EXTRAS_MAX_BYTES / 2);
  const gotify = { extras: { large } };
  assert.equal(encodeExtras({ priority: 4, gotify }), '{"priority":4}');
  assert.equal(encodeExtras({ gotify }), null);
  const actions = [{ action: "view", label: large }];
  const tags = ["skull"];
  assert.equal(encodeExtras({ gotify, actions, tags }), '{"tags":["skull"]}');
});

test("extras of exactly the maximum size are kept", () => {
  const overhead = Buffer.byteLength('{"tags":[""]}');
  const tags = ["x".repeat(EXTRAS_MAX_BYTES - overhead)];
  assert.equal(encodeExtras({ tags })?.length, EXTRAS_MAX_BYTES);
  assert.equal(encodeExtras({ tags: [`${tags[0]}x`] }), null);
});
