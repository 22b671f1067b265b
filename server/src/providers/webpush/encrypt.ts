import { createCipheriv, createECDH, createHmac, randomBytes } from "node:crypto";
import type { ECDH } from "node:crypto";
import type { WebPushAddress } from "../provider.ts";

/** The most bytes of plaintext whose encrypted form still fits the 4096 bytes of RFC 8030 section 7.2. */
export const MAX_PLAINTEXT_BYTES = 3_993;

/** The keys of a subscription are no usable P-256 point or no 16-byte secret: nothing can be sealed for it. */
export class UnusableKeysError extends Error {
  override readonly name = "UnusableKeysError";
}

/** What must never be used for two messages: an ephemeral key pair and a salt of 16 bytes. */
export interface OneTimeSecrets {
  readonly pair: ECDH;
  readonly salt: Buffer;
}

export interface Plaintext {
  readonly keys: WebPushAddress["keys"];
  readonly plaintext: Buffer;
  /** Given only to reproduce a published vector; fresh ones otherwise. */
  readonly secrets?: OneTimeSecrets;
}

const CURVE = "prime256v1";
const RECORD_SIZE = 4_096;
const SALT_BYTES = 16;
/** Marks the end of the last record (RFC 8188 section 2). */
const LAST_RECORD = Buffer.from([2]);
const CONTENT_KEY_INFO = Buffer.from("Content-Encoding: aes128gcm\0\u0001", "latin1");
const NONCE_INFO = Buffer.from("Content-Encoding: nonce\0\u0001", "latin1");

/**
 * Returns the whole `aes128gcm` body of one push message: the header and a single record (RFC 8291 section 4).
 * Throws `UnusableKeysError` for keys that are malformed, and `RangeError` above `MAX_PLAINTEXT_BYTES`.
 */
export function encrypt({ keys, plaintext, secrets = freshSecrets() }: Plaintext): Buffer {
  if (plaintext.length > MAX_PLAINTEXT_BYTES) {
    throw new RangeError(`The plaintext has ${plaintext.length} of ${MAX_PLAINTEXT_BYTES} bytes.`);
  }
  const sender = secrets.pair.getPublicKey();
  const { contentKey, nonce } = deriveKeys({ keys, secrets, sender });
  const cipher = createCipheriv("aes-128-gcm", contentKey, nonce);
  return Buffer.concat([
    header(secrets.salt, sender),
    cipher.update(plaintext),
    cipher.update(LAST_RECORD),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
}

function freshSecrets(): OneTimeSecrets {
  const pair = createECDH(CURVE);
  pair.generateKeys();
  return { pair, salt: randomBytes(SALT_BYTES) };
}

interface Derivation {
  readonly keys: WebPushAddress["keys"];
  readonly secrets: OneTimeSecrets;
  readonly sender: Buffer;
}

/** Follows the HMAC pseudo-code of RFC 8291 section 3.4, line by line. */
function deriveKeys({ keys, secrets, sender }: Derivation) {
  const receiver = Buffer.from(keys.p256dh, "base64url");
  const auth = Buffer.from(keys.auth, "base64url");
  if (auth.length !== 16) throw new UnusableKeysError("The auth secret is not 16 bytes.");
  const keyInfo = Buffer.concat([
    Buffer.from("WebPush: info\0"),
    receiver,
    sender,
    Buffer.from([1]),
  ]);
  const inputKey = hmac(hmac(auth, sharedSecret(secrets.pair, receiver)), keyInfo);
  const seed = hmac(secrets.salt, inputKey);
  return {
    contentKey: hmac(seed, CONTENT_KEY_INFO).subarray(0, 16),
    nonce: hmac(seed, NONCE_INFO).subarray(0, 12),
  };
}

function sharedSecret(pair: ECDH, receiver: Buffer): Buffer {
  // RFC 8291 section 4 wants the uncompressed form; OpenSSL would take others too.
  if (receiver.length !== 65 || receiver[0] !== 4) {
    throw new UnusableKeysError("p256dh is not an uncompressed point.");
  }
  try {
    return pair.computeSecret(receiver);
  } catch (cause) {
    throw new UnusableKeysError("p256dh is not a point on P-256.", { cause });
  }
}

/** Salt, record size, length of the key id, key id: the sender's public key (RFC 8188 section 2.1). */
function header(salt: Buffer, sender: Buffer): Buffer {
  const sizes = Buffer.alloc(5);
  sizes.writeUInt32BE(RECORD_SIZE, 0);
  sizes.writeUInt8(sender.length, 4);
  return Buffer.concat([salt, sizes, sender]);
}

function hmac(key: Buffer, input: Buffer): Buffer {
  return createHmac("sha256", key).update(input).digest();
}
