import { Secret } from "otpauth";
import { hashSecret } from "#secret.ts";

const CODES = 10;
/** 80 bits: enough for a fast hash, and few enough to be typed. */
const CODE_BYTES = 10;
const FORM = /^[A-Z2-7]{16}$/;

/** Returns ten new codes such as `ABCD-EFGH-IJKL-MNOP`. */
export function newBackupCodes(): readonly string[] {
  return Array.from({ length: CODES }, () =>
    (new Secret({ size: CODE_BYTES }).base32.match(/.{4}/g) ?? []).join("-"),
  );
}

/** Returns what is stored of a code, however it was typed; null for a text that cannot be one. */
export function backupCodeHash(text: string): string | null {
  const code = text.toUpperCase().replaceAll(/[\s-]/g, "");
  return FORM.test(code) ? hashSecret(code) : null;
}
