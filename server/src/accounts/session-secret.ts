import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { loadOrCreateFile } from "#data-file.ts";

/** The file in the data folder. */
export const SECRET_FILE = "session-secret";
const SECRET_BYTES = 32;

/** Returns a new secret. */
export function makeSecret(): string {
  return randomBytes(SECRET_BYTES).toString("base64url");
}

/**
 * Returns the secret that signs session cookies and confirmation links: from the file `session-secret` in
 * the folder `dir`, made once, readable by its owner alone. Without that file everybody must sign in again.
 */
export async function loadOrCreateSecret(dir: string): Promise<string> {
  const path = join(dir, SECRET_FILE);
  const secret = await loadOrCreateFile(path, makeSecret);
  if (secret.length >= SECRET_BYTES) return secret;
  throw new Error(`${path} is damaged. Restore it, or remove it: everybody then signs in again.`);
}
