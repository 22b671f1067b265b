import { createDecipheriv, createECDH, hkdfSync, randomBytes } from "node:crypto";

/** The public part of a subscription's keys, base64url without padding (W3C Push API). */
export interface PublicKeys {
  readonly p256dh: string;
  readonly auth: string;
}

/** The keys of one subscription, with the secret half. */
export interface ReceiverKeys {
  readonly publicKeys: PublicKeys;
  /** Returns the plaintext of a message's body; throws where it was not made for these keys. */
  readonly decrypt: (body: Buffer) => Buffer;
}

const TAG_BYTES = 16;
/** Ends the text of the last record; only zeros, the padding, follow it. */
const LAST_RECORD = 2;

/** Makes fresh keys as a browser does when it subscribes; reads messages by RFC 8291 and 8188. */
export function makeReceiverKeys(): ReceiverKeys {
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
      return withoutPadding(open({ record: body.subarray(senderKeyEnd), key, nonce }));
    },
  };
}

function open(sealed: {
  readonly record: Buffer;
  readonly key: Buffer;
  readonly nonce: Buffer;
}): Buffer {
  const textEnd = sealed.record.length - TAG_BYTES;
  const decipher = createDecipheriv("aes-128-gcm", sealed.key, sealed.nonce);
  decipher.setAuthTag(sealed.record.subarray(textEnd));
  return Buffer.concat([decipher.update(sealed.record.subarray(0, textEnd)), decipher.final()]);
}

function withoutPadding(padded: Buffer): Buffer {
  const end = padded.findLastIndex((byte) => byte !== 0);
  if (padded[end] !== LAST_RECORD) throw new Error("The record does not end as the last one must.");
  return padded.subarray(0, end);
}

function hkdf(
  from: { readonly key: Buffer; readonly salt: Buffer; readonly info: string | Buffer },
  lengthBytes: number,
): Buffer {
  return Buffer.from(hkdfSync("sha256", from.key, from.salt, from.info, lengthBytes));
}
