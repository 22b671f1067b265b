import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import { parseApnsKey } from "./apns-key.ts";

const pkcs8 = { type: "pkcs8", format: "pem" } as const;
const sec1 = { type: "sec1", format: "pem" } as const;
const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
const pem = privateKey.export(pkcs8);

test("a key is read from Apple's file and from an environment file", () => {
  const pemVariants = {
    asIssued: pem,
    withoutFinalNewline: pem.trim(),
    onOneLine: pem.replaceAll("\n", "\\n"),
    fromWindows: pem.replaceAll("\n", "\r\n"),
    fromWindowsOnOneLine: pem.replaceAll("\n", "\\r\\n"),
  };
  for (const [name, text] of Object.entries(pemVariants)) {
    assert.ok(parseApnsKey(text).equals(privateKey), name);
  }
});

test("the error for an invalid key does not quote the key", () => {
  const p384 = generateKeyPairSync("ec", { namedCurve: "secp384r1" }).privateKey.export(pkcs8);
  const ed25519 = generateKeyPairSync("ed25519").privateKey.export(pkcs8);
  const cases: readonly (readonly [string, RegExp])[] = [
    ["", /does not begin with -----BEGIN PRIVATE KEY-----/u],
    ["AuthKey_ABC123DEFG.p8", /does not begin/u],
    [publicKey.export({ type: "spki", format: "pem" }), /does not begin/u],
    [privateKey.export(sec1), /does not begin/u],
    [pem.slice(0, 80), /damaged/u],
    [pem.replace("MIGH", "XXXX"), /damaged/u],
    [p384, /not a P-256 key/u],
    [ed25519, /not a P-256 key/u],
  ];
  for (const [text, message] of cases) {
    assert.throws(
      () => parseApnsKey(text),
      (error) => {
        assert.ok(error instanceof Error);
        assert.match(error.message, message);
        assert.doesNotMatch(`${error.message} ${String(error.cause)}`, /MIGH|XXXX|ABC123/u);
        return true;
      },
    );
  }
});
