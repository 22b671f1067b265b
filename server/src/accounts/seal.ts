import { hkdfSync } from "node:crypto";
import { decrypt, encrypt, KEY_BYTES } from "#secrets/aes-gcm.ts";

/** Encrypts what must be read again, so that a copy of the database alone does not tell it. */
export interface Seal {
  /** `owner` is bound to the text: elsewhere it does not open. */
  close(text: string, owner: string): string;
  /** Returns the text; null for what was closed with another secret or for another owner. */
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
