import assert from "node:assert/strict";
import { createCipheriv, createECDH, hkdfSync, randomBytes } from "node:crypto";
import { test } from "node:test";
import { makeReceiverKeys } from "./push-decrypt.ts";
import type { PublicKeys } from "./push-decrypt.ts";

/** Encrypts a record as it stands, delimiter and padding included (RFC 8291 section 3.4). */
function seal(record: string, { p256dh, auth }: PublicKeys): Buffer {
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
  const derive = (name: string, length: number): Buffer =>
    Buffer.from(
      hkdfSync("sha256", Buffer.from(secret), salt, `Content-Encoding: ${name}\0`, length),
    );
  const cipher = createCipheriv("aes-128-gcm", derive("aes128gcm", 16), derive("nonce", 12));
  const head = Buffer.from([0, 0, 16, 0, 65]);
  const ciphertext = [cipher.update(record), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat([salt, head, senderKey, ...ciphertext]);
}

test("padding is taken off, zeros of the text are kept", () => {
  const { publicKeys, decrypt } = makeReceiverKeys();
  assert.equal(decrypt(seal("hello\0\u0002\0\0\0", publicKeys)).toString(), "hello\0");
  assert.equal(decrypt(seal("\u0002", publicKeys)).toString(), "");
});

test("a record that is not the last one, or has no delimiter, is an error", () => {
  const { publicKeys, decrypt } = makeReceiverKeys();
  assert.throws(() => decrypt(seal("hello\u0001", publicKeys)), /does not end/u);
  assert.throws(() => decrypt(seal("\0\0", publicKeys)), /does not end/u);
});

test("a message for other keys is an error", () => {
  const { publicKeys } = makeReceiverKeys();
  assert.throws(() => makeReceiverKeys().decrypt(seal("hello\u0002", publicKeys)));
});
