import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { cutToJsonBytes, cutToUtf8Bytes, measureJsonBytes } from "./cut.ts";

/** Returns the size of a string in JSON, without its two quotes. */
function measureContentBytes(text: string): number {
  return measureJsonBytes(text) - 2;
}

test("a string that fits is not cut", () => {
  assert.equal(cutToJsonBytes("héllo", 6), "héllo");
  assert.equal(cutToJsonBytes("", 0), "");
});

test("a cut never splits a grapheme", () => {
  const family = "👨‍👩‍👧‍👦";
  assert.equal(cutToJsonBytes(`${family}${family}`, measureContentBytes(family)), family);
  assert.equal(cutToJsonBytes(`${family}${family}`, 2 * measureContentBytes(family) - 1), family);
  assert.equal(cutToJsonBytes("a🇫🇷🇩🇪", 12), "a🇫🇷");
  assert.equal(cutToJsonBytes("e\u0301e\u0301", 5), "e\u0301");
  assert.equal(cutToJsonBytes("a\r\nb", 4), "a");
});

test("a JSON escape counts at its full length", () => {
  assert.equal(cutToJsonBytes('""""', 5), '""');
  assert.equal(cutToJsonBytes("\u0000\u0000", 11), "\u0000");
});

test("a cut to UTF-8 bytes does not count JSON escapes", () => {
  assert.equal(cutToUtf8Bytes('""""', 3), '"""');
  assert.equal(cutToUtf8Bytes("\n\u0000é", 4), "\n\u0000é");
  assert.equal(cutToUtf8Bytes("\n\u0000é", 3), "\n\u0000");
  assert.equal(cutToUtf8Bytes("👨‍👩‍👧‍👦👨‍👩‍👧‍👦", 49), "👨‍👩‍👧‍👦");
  assert.equal(cutToUtf8Bytes("abc", 0), "");
  assert.equal(cutToUtf8Bytes("abc", -5), "");
});

test("a limit too small for one character leaves nothing", () => {
  assert.equal(cutToJsonBytes("abc", 0), "");
  assert.equal(cutToJsonBytes("abc", -5), "");
  assert.equal(cutToJsonBytes("👍", 3), "");
});

test("a cut is the longest prefix of whole graphemes that fits", () => {
  const anyText = fc.string({ unit: "binary", maxLength: 60 });
  fc.assert(
    fc.property(anyText, fc.nat(80), (text, maxBytes) => {
      const prefix = cutToJsonBytes(text, maxBytes);
      assert.ok(text.startsWith(prefix));
      assert.ok(measureContentBytes(prefix) <= maxBytes);
      const graphemes = [...new Intl.Segmenter().segment(text)];
      const next = graphemes.find(({ index }) => index === prefix.length);
      if (next !== undefined) assert.ok(measureContentBytes(prefix + next.segment) > maxBytes);
      else assert.equal(prefix, text);
    }),
  );
});
