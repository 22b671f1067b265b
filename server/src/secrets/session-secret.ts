import { randomBytes } from "node:crypto";

/** The file of the secret in the data folder. */
export const SECRET_FILE = "session-secret";
const SECRET_BYTES = 32;

/** Returns a new secret: 32 random bytes in base64url. */
export function generateSecret(): string {
  return randomBytes(SECRET_BYTES).toString("base64url");
}

/** Returns `text` as the secret that signs session cookies and confirmation links; throws if it is too short. */
export function requireSecret(text: string): string {
  if (text.length >= SECRET_BYTES) return text;
  throw new Error(
    `The session secret (${SECRET_FILE}) is damaged. Restore it, or remove it: everybody then signs in again.`,
  );
}
