import {
  createCipheriv,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  randomBytes,
  type KeyObject,
} from "node:crypto";
import type { WebPushAddress } from "../provider.ts";

/** The most bytes of plaintext whose encrypted form still fits the 4096 bytes of RFC 8030 section 7.2. */
export const MAX_PLAINTEXT_BYTES = 3_993;

/** The keys of a subscription are no usable P-256 point or no 16-byte secret: nothing can be sealed for it. */
export class UnusableKeysError extends Error {
  override readonly name = "UnusableKeysError";
}

/** What must never be used for two messages: an ephemeral key pair and a salt of 16 bytes. */
export interface OneTimeSecrets {
  readonly pair: { readonly publicKey: KeyObject; readonly privateKey: KeyObject };
  readonly salt: Buffer;
}

export interface Plaintext {
  readonly keys: WebPushAddress["keys"];
  readonly plaintext: Buffer;
  /** Given only to reproduce a published vector; fresh ones otherwise. */
  readonly secrets?: OneTimeSecrets;
}

const CURVE = { namedCurve: "prime256v1" };
const RECORD_SIZE = 4_096;
const SALT_BYTES = 16;
/** Marks the end of the last record (RFC 8188 section 2). */
const LAST_RECORD = Buffer.from([2]);
const KEY_INFO = Buffer.from("WebPush: info\0", "latin1");
const CONTENT_KEY_INFO = Buffer.from("Content-Encoding: aes128gcm\0", "latin1");
const NONCE_INFO = Buffer.from("Content-Encoding: nonce\0", "latin1");

/**
 * Returns the whole `aes128gcm` body of one push message: the header and a single record (RFC 8291 section 4).
 * Throws `UnusableKeysError` for keys that are malformed, and `RangeError` above `MAX_PLAINTEXT_BYTES`.
 */
export function encrypt({ keys, plaintext, secrets = freshSecrets() }: Plaintext): Buffer {
  if (plaintext.length > MAX_PLAINTEXT_BYTES) {
    throw new RangeError(`The plaintext has ${plaintext.length} of ${MAX_PLAINTEXT_BYTES} bytes.`);
  }
  const sender = secrets.pair.publicKey.export({ format: "raw-public" });
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
  return { pair: generateKeyPairSync("ec", CURVE), salt: randomBytes(SALT_BYTES) };
}

interface Derivation {
  readonly keys: WebPushAddress["keys"];
  readonly secrets: OneTimeSecrets;
  readonly sender: Buffer;
}

/** The key derivation of RFC 8291 section 3.4, whose pairs of HMACs are HKDF (RFC 5869). */
function deriveKeys({ keys, secrets: { pair, salt }, sender }: Derivation) {
  const auth = Buffer.from(keys.auth, "base64url");
  if (auth.length !== 16) throw new UnusableKeysError("The auth secret is not 16 bytes.");
  const { point, publicKey } = receiverOf(keys.p256dh);
  const shared = diffieHellman({ privateKey: pair.privateKey, publicKey });
  const keyInfo = Buffer.concat([KEY_INFO, point, sender]);
  const inputKey = new Uint8Array(hkdfSync("sha256", shared, auth, keyInfo, 32));
  return {
    contentKey: new Uint8Array(hkdfSync("sha256", inputKey, salt, CONTENT_KEY_INFO, 16)),
    nonce: new Uint8Array(hkdfSync("sha256", inputKey, salt, NONCE_INFO, 12)),
  };
}

/** A browser's key, as it was sent and as it is computed with. */
interface Receiver {
  readonly point: Buffer;
  readonly publicKey: KeyObject;
}

/** Those used last, by `p256dh`: most devices get message after message, and to read a key takes a tenth of a message. */
const receivers = new Map<string, Receiver>();
const RECEIVERS_MAX = 1_000;

function receiverOf(p256dh: string): Receiver {
  const known = receivers.get(p256dh) ?? readReceiver(p256dh);
  receivers.delete(p256dh);
  receivers.set(p256dh, known);
  if (receivers.size > RECEIVERS_MAX) {
    const [oldest] = receivers.keys();
    if (oldest !== undefined) receivers.delete(oldest);
  }
  return known;
}

function readReceiver(p256dh: string): Receiver {
  const point = Buffer.from(p256dh, "base64url");
  // RFC 8291 section 4 wants the uncompressed form; OpenSSL would take others too.
  if (point.length !== 65 || point[0] !== 4) {
    throw new UnusableKeysError("p256dh is not an uncompressed point.");
  }
  const form = { format: "raw-public", asymmetricKeyType: "ec", ...CURVE } as const;
  try {
    return { point, publicKey: createPublicKey({ key: point, ...form }) };
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
