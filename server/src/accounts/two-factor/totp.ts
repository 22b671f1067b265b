import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { decodeBase32, encodeBase32 } from "./base32.ts";

/** RFC 4226 section 4, R6, recommends 160 bits. */
const SECRET_BYTES = 20;
/** The default time step (RFC 6238 section 4.1). */
const STEP_MS = 30_000;
/** The default of authenticator apps, and the fewest digits that RFC 4226 section 5.3 allows. */
const CODE_DIGITS = 6;
/** Tolerates a clock difference of half a minute (RFC 6238 section 6). */
const DRIFT_STEPS_MAX = 1;
const TOTP_ISSUER = "Tocsin";

/** Returns a new secret in base32 (RFC 4648 section 6) without padding, as authenticator apps expect it. */
export function generateTotpSecret(): string {
  return encodeBase32(randomBytes(SECRET_BYTES));
}

/** Returns the URI for an authenticator app, in the `otpauth` scheme of Google Authenticator. */
export function formatTotpUri({ secret, email }: { secret: string; email: string }): string {
  const label = [TOTP_ISSUER, email].map(encodeURIComponent).join(":");
  const period = String(STEP_MS / 1_000);
  const query = {
    issuer: TOTP_ISSUER,
    secret,
    algorithm: "SHA1",
    digits: String(CODE_DIGITS),
    period,
  };
  return `otpauth://totp/${label}?${new URLSearchParams(query).toString()}`;
}

/** Returns the time step of a code, within one step of `now`; null if the code is wrong. */
export function findMatchingStep(
  secret: string,
  { code, now }: { readonly code: string; readonly now: number },
): number | null {
  // `timingSafeEqual` throws if the lengths differ, and six characters may be more than six bytes.
  if (!/^\d{6}$/.test(code)) return null;
  const key = decodeBase32(secret);
  const currentStep = Math.floor(now / STEP_MS);
  let matchingStep: number | null = null;
  for (let step = currentStep - DRIFT_STEPS_MAX; step <= currentStep + DRIFT_STEPS_MAX; step += 1) {
    if (step < 0) continue;
    const isMatch = timingSafeEqual(Buffer.from(code), Buffer.from(computeCode(key, step)));
    if (isMatch) matchingStep = step;
  }
  return matchingStep;
}

/** Returns the code of a time step (RFC 4226 section 5.3, RFC 6238 section 4.2). */
function computeCode(key: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac("sha1", key).update(counter).digest();
  const offset = (digest.at(-1) ?? 0) & 0xf;
  const binaryCode = digest.readUInt32BE(offset) & 0x7f_ff_ff_ff;
  return String(binaryCode % 10 ** CODE_DIGITS).padStart(CODE_DIGITS, "0");
}
