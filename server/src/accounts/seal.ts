import { hkdfSync } from "node:crypto";
import { decrypt, encrypt, KEY_BYTES } from "#secrets/aes-gcm.ts";

/** Encrypts secrets that must be read again, so that a copy of the database alone does not reveal them. */
export interface Seal {
  /** Binds the text to `owner`: it does not open for any other. */
  close(text: string, owner: string): string;
  /** Returns the text; null if it was sealed with another secret or for another owner. */
  open(sealed: string, owner: string): string | null;
}

/** Returns a seal with a key of its own for `purpose`, derived from the server's secret (RFC 5869). */
export function createSeal(secret: string, purpose: string): Seal {
  const key = Buffer.from(hkdfSync("sha256", secret, "", `tocsin ${purpose}`, KEY_BYTES));
  return {
    close: (text, owner) =>
      encrypt(key, { plain: Buffer.from(text), bound: owner }).toString("base64url"),
    open(sealed, owner) {
      try {
        return decrypt(key, { sealed: Buffer.from(sealed, "base64url"), bound: owner }).toString();
      } catch {
        return null;
      }
    },
  };
}
