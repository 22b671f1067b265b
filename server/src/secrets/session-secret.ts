import { randomBytes } from "node:crypto";

/** The file of the session secret in the data folder. */
export const SESSION_SECRET_FILE = "session-secret";
const SESSION_SECRET_BYTES = 32;

/** Returns a new secret: 32 random bytes in base64url. */
export function generateSessionSecret(): string {
  return randomBytes(SESSION_SECRET_BYTES).toString("base64url");
}

/** Returns `text` as the secret that signs session cookies and confirmation links; throws if it is too short. */
export function requireSessionSecret(text: string): string {
  if (text.length >= SESSION_SECRET_BYTES) return text;
  throw new Error(
    `The session secret (${SESSION_SECRET_FILE}) is damaged. Restore it, or remove it: everybody then signs in again.`,
  );
}
