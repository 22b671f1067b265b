import { hash, randomBytes } from "node:crypto";

/** Returns a new secret of 160 random bits, base64url without padding (27 characters). */
export function newSecret(): string {
  return randomBytes(20).toString("base64url");
}

/** Returns what is stored of a secret: SHA-256, hexadecimal; enough for a secret of over 100 random bits. */
export function hashSecret(secret: string): string {
  return hash("sha256", secret, "hex");
}
