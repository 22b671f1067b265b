import { hash, randomBytes } from "node:crypto";

/** Returns a new token of 160 random bits, base64url without padding (27 characters). */
export function newToken(): string {
  return randomBytes(20).toString("base64url");
}

/** Returns the stored form of a token: SHA-256, hexadecimal; enough for a token of over 100 random bits. */
export function hashToken(token: string): string {
  return hash("sha256", token, "hex");
}
