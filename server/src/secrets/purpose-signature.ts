import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";

const KEY_BYTES = 32;

/** Signs texts, so that the server recognizes later that it wrote them. */
export interface PurposeSignature {
  sign(text: string): string;
  /** Returns whether `signature` is that of the text. */
  verify(text: string, signature: string): boolean;
}

/** Returns the signer for one purpose (HMAC-SHA-256). Its key is derived from the server's secret (RFC 5869). */
export function createPurposeSignature(secret: string, purpose: string): PurposeSignature {
  const key = Buffer.from(hkdfSync("sha256", secret, "", `tocsin ${purpose}`, KEY_BYTES));
  const compute = (text: string) => createHmac("sha256", key).update(text).digest();
  return {
    sign: (text) => compute(text).toString("base64url"),
    verify(text, signature) {
      const expected = compute(text);
      const actual = Buffer.from(signature, "base64url");
      // Base64url has several spellings of some bytes; only the one that was issued is accepted.
      const isIssued = actual.toString("base64url") === signature;
      return isIssued && actual.length === expected.length && timingSafeEqual(actual, expected);
    },
  };
}
