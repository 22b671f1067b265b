import assert from "node:assert/strict";
import { createCipheriv, createECDH, hkdfSync, randomBytes } from "node:crypto";
import { test } from "node:test";
import { generateReceiverKeys, type PublicKeys } from "./receiver-keys.ts";

/** Encrypts a record, which already has its delimiter and padding (RFC 8291 section 3.4). */
function encrypt(record: string, { p256dh, auth }: PublicKeys): Buffer {
  const sender = createECDH("prime256v1");
  const senderKey = sender.generateKeys();
  const receiverKey = Buffer.from(p256dh, "base64url");
  const salt = randomBytes(16);
  const secret = hkdfSync(
    "sha256",
    sender.computeSecret(receiverKey),
    Buffer.from(auth, "base64url"),
    Buffer.concat([Buffer.from("WebPush: info\0"), receiverKey, senderKey]),
    32,
  );
  const deriveKey = (name: string, length: number): Buffer =>
    Buffer.from(
      hkdfSync("sha256", Buffer.from(secret), salt, `Content-Encoding: ${name}\0`, length),
    );
  const cipher = createCipheriv("aes-128-gcm", deriveKey("aes128gcm", 16), deriveKey("nonce", 12));
  const header = Buffer.from([0, 0, 16, 0, 65]);
  const ciphertext = [cipher.update(record), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat([salt, header, senderKey, ...ciphertext]);
}

test("padding is removed, but zeros of the text are kept", () => {
  const { publicKeys, decrypt } = generateReceiverKeys();
  assert.equal(decrypt(encrypt("hello\0\u0002\0\0\0", publicKeys)).toString(), "hello\0");
  assert.equal(decrypt(encrypt("\u0002", publicKeys)).toString(), "");
});

test("a record without the last record's delimiter is an error", () => {
  const { publicKeys, decrypt } = generateReceiverKeys();
  assert.throws(() => decrypt(encrypt("hello\u0001", publicKeys)), /does not end/u);
  assert.throws(() => decrypt(encrypt("\0\0", publicKeys)), /does not end/u);
});

test("a message for other keys is an error", () => {
  const { publicKeys } = generateReceiverKeys();
  assert.throws(() => generateReceiverKeys().decrypt(encrypt("hello\u0002", publicKeys)));
});
