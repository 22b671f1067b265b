import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import test from "node:test";
import { Secret } from "otpauth";
import { decodeBase32, encodeBase32 } from "./base32.ts";

/** From RFC 4648 section 10, without the padding. */
const VECTORS = [
  ["", ""],
  ["f", "MY"],
  ["fo", "MZXQ"],
  ["foo", "MZXW6"],
  ["foob", "MZXW6YQ"],
  ["fooba", "MZXW6YTB"],
  ["foobar", "MZXW6YTBOI"],
] as const;

test("encoding and decoding match the vectors of RFC 4648", () => {
  for (const [plain, text] of VECTORS) {
    assert.equal(encodeBase32(Buffer.from(plain)), text);
    assert.equal(Buffer.from(decodeBase32(text)).toString(), plain);
  }
});

test("bytes of any length survive a round trip, and match another implementation", () => {
  for (let length = 0; length < 64; length += 1) {
    const bytes = randomBytes(length);
    const text = encodeBase32(bytes);
    assert.deepEqual(Buffer.from(decodeBase32(text)), bytes);
    assert.equal(text, Secret.fromHex(bytes.toString("hex")).base32);
  }
});

test("a string with other characters is refused", () => {
  for (const text of ["MZXW6YTB1", "mzxw", "MZ=", "MZ XW"]) {
    assert.throws(() => decodeBase32(text), /not base32/);
  }
});
