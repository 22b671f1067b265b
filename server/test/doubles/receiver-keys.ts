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

/** The header of a message: salt, record size, and length of the sender's key, which follows (RFC 8188 section 2.1). */
const HEADER_BYTES = 21;
const SALT_BYTES = 16;
const KEY_LENGTH_OFFSET = 20;
const TAG_BYTES = 16;
/** Lengths of the derived secrets (RFC 8291 section 3.4). */
const INPUT_KEY_BYTES = 32;
const CONTENT_KEY_BYTES = 16;
const NONCE_BYTES = 12;
/** The length of the authentication secret (RFC 8291 section 3.2). */
const AUTH_BYTES = 16;
/** The byte that ends the text of the last record. Only zero padding follows it (RFC 8188 section 2). */
const LAST_RECORD_DELIMITER = 2;

/**
 * Generates the keys that a browser generates when it subscribes. Messages are decrypted as RFC 8291 and RFC 8188
 * describe.
 */
export function generateReceiverKeys(): ReceiverKeys {
  const ecdh = createECDH("prime256v1");
  const publicKey = ecdh.generateKeys();
  const auth = randomBytes(AUTH_BYTES);
  return {
    publicKeys: { p256dh: publicKey.toString("base64url"), auth: auth.toString("base64url") },
    decrypt(body) {
      const salt = body.subarray(0, SALT_BYTES);
      const senderKeyEnd = HEADER_BYTES + body.readUInt8(KEY_LENGTH_OFFSET);
      const senderKey = body.subarray(HEADER_BYTES, senderKeyEnd);
      const keyInfo = Buffer.concat([Buffer.from("WebPush: info\0"), publicKey, senderKey]);
      const inputKey = deriveHkdf(
        { key: ecdh.computeSecret(senderKey), salt: auth, info: keyInfo },
        INPUT_KEY_BYTES,
      );
      const contentKey = deriveHkdf(
        { key: inputKey, salt, info: "Content-Encoding: aes128gcm\0" },
        CONTENT_KEY_BYTES,
      );
      const nonce = deriveHkdf(
        { key: inputKey, salt, info: "Content-Encoding: nonce\0" },
        NONCE_BYTES,
      );
      return removePadding(
        decryptRecord({ record: body.subarray(senderKeyEnd), key: contentKey, nonce }),
      );
    },
  };
}

function decryptRecord(encrypted: {
  readonly record: Buffer;
  readonly key: Buffer;
  readonly nonce: Buffer;
}): Buffer {
  const ciphertextEnd = encrypted.record.length - TAG_BYTES;
  const decipher = createDecipheriv("aes-128-gcm", encrypted.key, encrypted.nonce);
  decipher.setAuthTag(encrypted.record.subarray(ciphertextEnd));
  return Buffer.concat([
    decipher.update(encrypted.record.subarray(0, ciphertextEnd)),
    decipher.final(),
  ]);
}

function removePadding(padded: Buffer): Buffer {
  const end = padded.findLastIndex((byte) => byte !== 0);
  if (padded[end] !== LAST_RECORD_DELIMITER)
    throw new Error("The record does not end with the last record's delimiter.");
  return padded.subarray(0, end);
}

function deriveHkdf(
  input: { readonly key: Buffer; readonly salt: Buffer; readonly info: string | Buffer },
  lengthBytes: number,
): Buffer {
  return Buffer.from(hkdfSync("sha256", input.key, input.salt, input.info, lengthBytes));
}
