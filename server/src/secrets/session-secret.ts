import { randomBytes } from "node:crypto";

/** The file of the session secret in the data folder. */
export const SESSION_SECRET_FILE = "session-secret";
const SESSION_SECRET_BYTES = 32;
const SESSION_SECRET_MIN_CHARACTERS = 32;

/** Returns a new secret: 32 random bytes in base64url. */
export function generateSessionSecret(): string {
  return randomBytes(SESSION_SECRET_BYTES).toString("base64url");
}

/** Returns the text of a session secret, which may have any format; throws if it is too short. */
export function requireSessionSecret(text: string): string {
  if (text.length >= SESSION_SECRET_MIN_CHARACTERS) return text;
  throw new Error(
    `The session secret (${SESSION_SECRET_FILE}) is damaged. Restore it, or remove it: everybody then signs in again.`,
  );
}
