import { hkdfSync } from "node:crypto";
import { decrypt, encrypt, KEY_BYTES } from "./aes-gcm.ts";

/**
 * Returns a seal for secrets that must be readable later. Each purpose has its own key, derived from the server's
 * secret (RFC 5869).
 */
export function createPurposeSeal(secret: string, purpose: string) {
  const key = Buffer.from(hkdfSync("sha256", secret, "", `tocsin ${purpose}`, KEY_BYTES));
  return {
    /** Returns the sealed text, which opens only for the same owner. */
    close: (text: string, owner: string): string =>
      encrypt(key, { plaintext: Buffer.from(text), associatedData: owner }).toString("base64url"),

    /** Returns the text; null if it was changed, or sealed with another secret or for another purpose or owner. */
    open(sealed: string, owner: string): string | null {
      try {
        return decrypt(key, {
          sealed: Buffer.from(sealed, "base64url"),
          associatedData: owner,
        }).toString();
      } catch {
        return null;
      }
    },
  };
}
