import { createCipheriv, createDecipheriv, randomBytes, type KeyObject } from "node:crypto";

/** The length of an AES-256 key. */
export const KEY_BYTES = 32;
const CIPHER = "aes-256-gcm";
/** NIST SP 800-38D section 8.2: 96 bits, random for each message. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts bytes: returns nonce, tag and ciphertext, in this order. Decryption needs the same associated data. */
export function encrypt(
  key: Buffer | KeyObject,
  { plaintext, associatedData }: { readonly plaintext: Buffer; readonly associatedData: string },
): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(associatedData));
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]);
}

/** Returns the plaintext; throws for another key, other associated data or a changed byte. */
export function decrypt(
  key: Buffer | KeyObject,
  { sealed, associatedData }: { readonly sealed: Buffer; readonly associatedData: string },
): Buffer {
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(associatedData));
  decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  return Buffer.concat([
    decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)),
    decipher.final(),
  ]);
}
