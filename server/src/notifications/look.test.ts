import assert from "node:assert/strict";
import test from "node:test";
import { toLook } from "./look.ts";

test("texts look the same whatever their letter case, width, spaces and invisible characters", () => {
  for (const [one, other] of [
    ["No", "NO"],
    ["ÄRGER", "a\u0308rger"],
    ["yes", "ｙｅｓ"],
    ["go now", "go\u00a0\u3000now"],
    ["yes", "y\u200aes"],
    ["yes", "y\u200b\u00ade\u2060s\ufe0f"],
    ["yes", "yes\u3164"],
    ["yes", "\u2800yes\u{e0041}"],
    ["file", "ﬁle"],
  ] as const) {
    assert.equal(toLook(one), toLook(other), JSON.stringify(other));
  }
});

test("texts that people tell apart look different", () => {
  const texts = ["yes", "yés", "no", "10", "1.0", "ja", "да", "👍", "👎", "👍🏿"];
  assert.equal(new Set(texts.map(toLook)).size, texts.length);
});
