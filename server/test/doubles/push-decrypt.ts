import { createDecipheriv, createECDH, hkdfSync, randomBytes } from "node:crypto";

/** The public part of a subscription's keys, base64url without padding (W3C Push API). */
export interface PublicKeys {
  readonly p256dh: string;
  readonly auth: string;
}

/** The keys of a subscription, including the private key. */
export interface ReceiverKeys {
  readonly publicKeys: PublicKeys;
  /** Decrypts a message's body. Throws if it was encrypted for other keys. */
  readonly decrypt: (body: Buffer) => Buffer;
}

const TAG_BYTES = 16;
/** The delimiter after the text of the last record. Only zeros, the padding, follow it. */
const LAST_RECORD_DELIMITER = 2;

/** Generates keys like a subscribing browser. Decrypts messages by RFC 8291 and 8188. */
export function generateReceiverKeys(): ReceiverKeys {
  const ecdh = createECDH("prime256v1");
  const publicKey = ecdh.generateKeys();
  const auth = randomBytes(16);
  return {
    publicKeys: { p256dh: publicKey.toString("base64url"), auth: auth.toString("base64url") },
    decrypt(body) {
      const salt = body.subarray(0, 16);
      const senderKeyEnd = 21 + body.readUInt8(20);
      const senderKey = body.subarray(21, senderKeyEnd);
      const context = Buffer.concat([Buffer.from("WebPush: info\0"), publicKey, senderKey]);
      const secret = hkdf({ key: ecdh.computeSecret(senderKey), salt: auth, info: context }, 32);
      const key = hkdf({ key: secret, salt, info: "Content-Encoding: aes128gcm\0" }, 16);
      const nonce = hkdf({ key: secret, salt, info: "Content-Encoding: nonce\0" }, 12);
      return removePadding(decryptRecord({ record: body.subarray(senderKeyEnd), key, nonce }));
    },
  };
}

function decryptRecord(encrypted: {
  readonly record: Buffer;
  readonly key: Buffer;
  readonly nonce: Buffer;
}): Buffer {
  const textEnd = encrypted.record.length - TAG_BYTES;
  const decipher = createDecipheriv("aes-128-gcm", encrypted.key, encrypted.nonce);
  decipher.setAuthTag(encrypted.record.subarray(textEnd));
  return Buffer.concat([decipher.update(encrypted.record.subarray(0, textEnd)), decipher.final()]);
}

function removePadding(padded: Buffer): Buffer {
  const end = padded.findLastIndex((byte) => byte !== 0);
  if (padded[end] !== LAST_RECORD_DELIMITER)
    throw new Error("The record does not end with the last record's delimiter.");
  return padded.subarray(0, end);
}

function hkdf(
  input: { readonly key: Buffer; readonly salt: Buffer; readonly info: string | Buffer },
  lengthBytes: number,
): Buffer {
  return Buffer.from(hkdfSync("sha256", input.key, input.salt, input.info, lengthBytes));
}
