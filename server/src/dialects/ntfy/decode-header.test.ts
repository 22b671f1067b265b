import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeHeader } from "./decode-header.ts";

/** Returns a text as Node reads a header with its bytes. */
function asHeader(text: string, encoding: BufferEncoding = "utf8"): string {
  return Buffer.from(text, encoding).toString("latin1");
}

test("a header of UTF-8 bytes is read as UTF-8", () => {
  assert.equal(decodeHeader(asHeader("Äpfel für 5 €, 日本, 🎉")), "Äpfel für 5 €, 日本, 🎉");
});

test("a header that is not UTF-8 is read as Latin-1", () => {
  assert.equal(decodeHeader(asHeader("Äpfel", "latin1")), "Äpfel");
});

test("the encoded words of RFC 2047 are decoded", () => {
  assert.equal(decodeHeader("=?UTF-8?B?w4RwZmVsIPCfjok=?="), "Äpfel 🎉");
  assert.equal(decodeHeader("=?utf-8?q?=C3=84pfel_und_Birnen?="), "Äpfel und Birnen");
  assert.equal(decodeHeader("=?iso-8859-1?Q?=C4pfel?="), "Äpfel");
  assert.equal(decodeHeader("=?US-ASCII*EN?Q?Keith_Moore?="), "Keith Moore");
});

test("white space between two encoded words is ignored", () => {
  assert.equal(decodeHeader("a =?UTF-8?Q?b?= =?UTF-8?Q?c?= d"), "a bc d");
  assert.equal(decodeHeader("=?UTF-8?Q?b?= x =?UTF-8?Q?c?="), "b x c");
});

test("a word that cannot be decoded stays unchanged", () => {
  for (const word of ["=?UTF-8?B?/w==?=", "=?no-such?Q?a?=", "=?UTF-8?X?a?=", "=?", "a =? b ?="]) {
    assert.equal(decodeHeader(word), word);
    assert.equal(decodeHeader(`${word} =?UTF-8?Q?b?=`), `${word} b`);
  }
});
