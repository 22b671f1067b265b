import { randomBytes } from "node:crypto";
import { hashToken } from "#token.ts";
import { encodeBase32 } from "./base32.ts";

const CODE_COUNT = 10;
/** 80 bits are enough for a fast hash, and short enough to type. */
const CODE_BYTES = 10;
const CODE_PATTERN = /^[A-Z2-7]{16}$/;

/** Returns ten new codes such as `ABCD-EFGH-IJKL-MNOP`. */
export function generateBackupCodes(): readonly string[] {
  return Array.from({ length: CODE_COUNT }, () => {
    const code = encodeBase32(randomBytes(CODE_BYTES));
    return (code.match(/.{4}/g) ?? []).join("-");
  });
}

/** Returns the stored form of a code, ignoring case, spaces and hyphens; null if the string is not a code. */
export function hashBackupCode(text: string): string | null {
  const code = text.toUpperCase().replaceAll(/[\s-]/g, "");
  return CODE_PATTERN.test(code) ? hashToken(code) : null;
}
