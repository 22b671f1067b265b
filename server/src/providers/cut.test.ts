import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { cutToBytes, cutToUtf8Bytes, jsonBytes } from "./cut.ts";

test("a string that fits is not cut", () => {
  assert.equal(cutToBytes("héllo", 6), "héllo");
  assert.equal(cutToBytes("", 0), "");
});

test("a cut never splits a grapheme", () => {
  const family = "👨‍👩‍👧‍👦";
  assert.equal(cutToBytes(`${family}${family}`, jsonBytes(family) - 2), family);
  assert.equal(cutToBytes(`${family}${family}`, 2 * (jsonBytes(family) - 2) - 1), family);
  assert.equal(cutToBytes("a🇫🇷🇩🇪", 12), "a🇫🇷");
  assert.equal(cutToBytes("e\u0301e\u0301", 5), "e\u0301");
  assert.equal(cutToBytes("a\r\nb", 4), "a");
});

test("JSON escapes count with their full length", () => {
  assert.equal(cutToBytes('""""', 5), '""');
  assert.equal(cutToBytes("\u0000\u0000", 11), "\u0000");
});

test("a cut for plain UTF-8 ignores JSON escapes", () => {
  assert.equal(cutToUtf8Bytes('""""', 3), '"""');
  assert.equal(cutToUtf8Bytes("\n\u0000é", 4), "\n\u0000é");
  assert.equal(cutToUtf8Bytes("\n\u0000é", 3), "\n\u0000");
  assert.equal(cutToUtf8Bytes("👨‍👩‍👧‍👦👨‍👩‍👧‍👦", 49), "👨‍👩‍👧‍👦");
  assert.equal(cutToUtf8Bytes("abc", 0), "");
  assert.equal(cutToUtf8Bytes("abc", -5), "");
});

test("a limit too small for one character leaves nothing", () => {
  assert.equal(cutToBytes("abc", 0), "");
  assert.equal(cutToBytes("abc", -5), "");
  assert.equal(cutToBytes("👍", 3), "");
});

test("a cut is the longest prefix of whole graphemes that fits", () => {
  const anyText = fc.string({ unit: "binary", maxLength: 60 });
  fc.assert(
    fc.property(anyText, fc.nat(80), (text, maxBytes) => {
      const cut = cutToBytes(text, maxBytes);
      assert.ok(text.startsWith(cut));
      assert.ok(jsonBytes(cut) - 2 <= maxBytes);
      const graphemes = [...new Intl.Segmenter().segment(text)];
      const next = graphemes.find(({ index }) => index === cut.length);
      if (next !== undefined) assert.ok(jsonBytes(cut + next.segment) - 2 > maxBytes);
      else assert.equal(cut, text);
    }),
  );
});
