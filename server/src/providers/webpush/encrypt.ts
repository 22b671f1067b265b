import { createCipheriv, hkdfSync, randomBytes } from "node:crypto";
import type { WebPushAddress } from "../provider.ts";
import { exchangeKeys, type ExchangeKeys } from "./exchange/exchange.ts";

/** The largest plaintext whose encrypted form fits the 4096 bytes of RFC 8030 section 7.2. */
export const PLAINTEXT_MAX_BYTES = 3_993;

/**
 * Thrown if the keys of a subscription are not a P-256 point and a 16-byte secret, so that nothing can be encrypted for
 * the subscription.
 */
export class UnusableKeysError extends Error {
  override readonly name = "UnusableKeysError";
}

/**
 * The key exchange, which generates a key pair for each call, and the 16-byte salt of one message. Neither the key pair
 * nor the salt may be used for two messages.
 */
export interface MessageRandomness {
  readonly exchangeKeys: ExchangeKeys;
  readonly salt: Buffer;
}

/** A plaintext and the subscription keys to encrypt it for. */
export interface EncryptionRequest {
  readonly keys: WebPushAddress["keys"];
  readonly plaintext: Buffer;
  /** Set only to reproduce a published test vector; generated otherwise. */
  readonly randomness?: MessageRandomness;
}

const RECORD_SIZE = 4_096;
const SALT_BYTES = 16;
/** The sizes in RFC 8291 sections 3.2 and 3.4. */
const AUTH_BYTES = 16;
const INPUT_KEY_BYTES = 32;
const CONTENT_KEY_BYTES = 16;
const NONCE_BYTES = 12;
/** The size of an uncompressed point of P-256, and its first byte (SEC 1 section 2.3.3). */
const POINT_BYTES = 65;
const UNCOMPRESSED_FORM = 4;
/** The delimiter after the content of the last record (RFC 8188 section 2). */
const LAST_RECORD = Buffer.from([2]);
const KEY_INFO = Buffer.from("WebPush: info\0", "latin1");
const CONTENT_KEY_INFO = Buffer.from("Content-Encoding: aes128gcm\0", "latin1");
const NONCE_INFO = Buffer.from("Content-Encoding: nonce\0", "latin1");

/**
 * Returns the whole `aes128gcm` body of one push message: the header and a single record (RFC 8291 section 4).
 * Throws `UnusableKeysError` for keys that are malformed, and `RangeError` above `PLAINTEXT_MAX_BYTES`.
 */
export function encrypt({
  keys,
  plaintext,
  randomness = generateRandomness(),
}: EncryptionRequest): Buffer {
  if (plaintext.length > PLAINTEXT_MAX_BYTES) {
    throw new RangeError(`The plaintext has ${plaintext.length} of ${PLAINTEXT_MAX_BYTES} bytes.`);
  }
  const { senderPublicKey, contentKey, nonce } = deriveKeys(keys, randomness);
  const cipher = createCipheriv("aes-128-gcm", contentKey, nonce);
  return Buffer.concat([
    buildHeader(randomness.salt, senderPublicKey),
    cipher.update(plaintext),
    cipher.update(LAST_RECORD),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
}

function generateRandomness(): MessageRandomness {
  return { exchangeKeys, salt: randomBytes(SALT_BYTES) };
}

/**
 * Returns the sender's public key, the content key and the nonce. The pairs of HMACs in RFC 8291 section 3.4 are HKDF
 * (RFC 5869).
 */
function deriveKeys(keys: WebPushAddress["keys"], randomness: MessageRandomness) {
  const auth = Buffer.from(keys.auth, "base64url");
  if (auth.length !== AUTH_BYTES) throw new UnusableKeysError("The auth secret is not 16 bytes.");
  const receiverPublicKey = parsePoint(keys.p256dh);
  const agreement = randomness.exchangeKeys(receiverPublicKey);
  if (agreement === null) throw new UnusableKeysError("p256dh is not a point on P-256.");
  const { senderPublicKey, sharedSecret } = agreement;
  const keyInfo = Buffer.concat([KEY_INFO, receiverPublicKey, senderPublicKey]);
  const inputKey = new Uint8Array(hkdfSync("sha256", sharedSecret, auth, keyInfo, INPUT_KEY_BYTES));
  const { salt } = randomness;
  const contentKey = hkdfSync("sha256", inputKey, salt, CONTENT_KEY_INFO, CONTENT_KEY_BYTES);
  const nonce = hkdfSync("sha256", inputKey, salt, NONCE_INFO, NONCE_BYTES);
  return {
    senderPublicKey,
    contentKey: new Uint8Array(contentKey),
    nonce: new Uint8Array(nonce),
  };
}

/** Decodes an uncompressed point, the only form that RFC 8291 section 4 allows. OpenSSL would accept others too. */
function parsePoint(p256dh: string): Buffer {
  const point = Buffer.from(p256dh, "base64url");
  if (point.length === POINT_BYTES && point[0] === UNCOMPRESSED_FORM) return point;
  throw new UnusableKeysError("p256dh is not an uncompressed point.");
}

/**
 * Returns the salt, the record size, the length of the key id, and the key id: the sender's public key (RFC 8188
 * section 2.1).
 */
function buildHeader(salt: Buffer, senderPublicKey: Buffer): Buffer {
  const sizes = Buffer.alloc(5);
  sizes.writeUInt32BE(RECORD_SIZE, 0);
  sizes.writeUInt8(senderPublicKey.length, 4);
  return Buffer.concat([salt, sizes, senderPublicKey]);
}
