import assert from "node:assert/strict";
import { createECDH, createPrivateKey, createPublicKey, randomBytes } from "node:crypto";
import { test } from "node:test";
import { decrypt } from "http_ece";
import { PLAINTEXT_MAX_BYTES, UnusableKeysError, encrypt } from "./encrypt.ts";
import { exchangeWithKeyPair } from "./exchange/node-crypto.ts";

/** The values of RFC 8291 appendix A, with the body of section 5. */
const VECTOR = {
  plaintext: "When I grow up, I want to be a watermelon",
  senderPrivate: "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw",
  receiverPublic:
    "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
  auth: "BTBZMqHH6r4Tts7J_aSIgg",
  salt: "DGv6ra1nlYgDCS1FRnbzlw",
  body:
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27ml" +
    "mlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPT" +
    "pK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
};

function createBrowser() {
  const privateKey = createECDH("prime256v1");
  const p256dh = privateKey.generateKeys("base64url");
  const auth = randomBytes(16).toString("base64url");
  return { keys: { p256dh, auth }, privateKey };
}

/** Returns the key pair of a private key. JWK requires both keys (RFC 7518 section 6.2). */
function createKeyPair(d: string) {
  const ecdh = createECDH("prime256v1");
  ecdh.setPrivateKey(d, "base64url");
  const point = ecdh.getPublicKey();
  // The format byte, then the two coordinates of 32 bytes each.
  const x = point.toString("base64url", 1, 33);
  const y = point.toString("base64url", 33);
  const jwk = { kty: "EC", crv: "P-256", x, y } as const;
  return {
    publicKey: createPublicKey({ key: jwk, format: "jwk" }),
    privateKey: createPrivateKey({ key: { ...jwk, d }, format: "jwk" }),
  };
}

test("encrypt reproduces the vector of RFC 8291 byte for byte", () => {
  const keyPair = createKeyPair(VECTOR.senderPrivate);
  const body = encrypt({
    keys: { p256dh: VECTOR.receiverPublic, auth: VECTOR.auth },
    plaintext: Buffer.from(VECTOR.plaintext),
    randomness: {
      exchangeKeys: (receiver) => exchangeWithKeyPair(keyPair, receiver),
      salt: Buffer.from(VECTOR.salt, "base64url"),
    },
  });
  assert.equal(body.toString("base64url"), VECTOR.body);
});

test("the reference implementation decrypts every body", () => {
  for (const size of [0, 1, 25, 1_000, PLAINTEXT_MAX_BYTES]) {
    const { keys, privateKey } = createBrowser();
    const plaintext = randomBytes(size);
    const body = encrypt({ keys, plaintext });
    const decrypted = decrypt(body, { version: "aes128gcm", privateKey, authSecret: keys.auth });
    assert.deepEqual(decrypted, plaintext);
  }
});

test("3993 bytes become exactly 4096, and 3994 are refused", () => {
  const { keys } = createBrowser();
  assert.equal(encrypt({ keys, plaintext: Buffer.alloc(3_993) }).length, 4_096);
  assert.throws(() => encrypt({ keys, plaintext: Buffer.alloc(3_994) }), RangeError);
});

test("no two messages share a salt or an ephemeral key", () => {
  const { keys } = createBrowser();
  const plaintext = Buffer.from("same");
  const first = encrypt({ keys, plaintext });
  const second = encrypt({ keys, plaintext });
  // The body begins with the salt of 16 bytes, 5 bytes of sizes, and the ephemeral key of 65 bytes.
  assert.notDeepEqual(first.subarray(0, 16), second.subarray(0, 16));
  assert.notDeepEqual(first.subarray(21, 86), second.subarray(21, 86));
});

test("encrypt refuses invalid points and secrets of the wrong length", () => {
  const { keys, privateKey } = createBrowser();
  const offCurve = Buffer.from(keys.p256dh, "base64url");
  offCurve[offCurve.length - 1] = (offCurve.at(-1) ?? 0) ^ 1;
  const compressed = privateKey.getPublicKey("base64url", "compressed");
  const hybrid = privateKey.getPublicKey("base64url", "hybrid");
  const plaintext = Buffer.from("hello");
  for (const p256dh of [offCurve.toString("base64url"), compressed, hybrid, ""]) {
    assert.throws(() => encrypt({ keys: { ...keys, p256dh }, plaintext }), UnusableKeysError);
  }
  const auth = randomBytes(15).toString("base64url");
  assert.throws(() => encrypt({ keys: { ...keys, auth }, plaintext }), UnusableKeysError);
});
