import { hash, randomBytes } from "node:crypto";

/** The number of random bytes of an action key. */
const SIZE_BYTES = 16;

/**
 * Returns a new action key: 128 random bits, base64url without padding (22 characters). With it, a device acts for its
 * owner, even after the session that registered the device has ended.
 */
export function createActionKey(): string {
  return randomBytes(SIZE_BYTES).toString("base64url");
}

/**
 * Returns the stored form of an action key: SHA-256, hexadecimal, as for every token with more than 100 random bits.
 */
export function hashActionKey(actionKey: string): string {
  return hash("sha256", actionKey, "hex");
}
