import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** RFC 4226 section 4, R6, recommends 160 bits. */
const SECRET_BYTES = 20;
const STEP_MS = 30_000;
const DIGITS = 6;
/** A clock that is wrong by half a minute still counts (RFC 6238 section 5.2). */
const DRIFT_STEPS = 1;
const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Returns a new secret in base32 (RFC 4648 section 6) without padding, as authenticator apps take it. */
export function newTotpSecret(): string {
  return encodeBase32(randomBytes(SECRET_BYTES));
}

/** Returns bytes in base32 without padding, whose length in bits must be a multiple of 5. */
export function encodeBase32(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, "0")).join("");
  return (bits.match(/.{5}/g) ?? []).map((five) => BASE32[Number.parseInt(five, 2)]).join("");
}

/** Returns what an authenticator app reads from a QR code: the `otpauth` scheme of Google Authenticator. */
export function totpUri({ secret, email }: { secret: string; email: string }): string {
  const label = `${ISSUER}:${encodeURIComponent(email)}`;
  return `otpauth://totp/${label}?secret=${secret}&issuer=${ISSUER}&digits=${DIGITS}&period=30`;
}

/** Returns the time step whose code this is, within one step of `time`; null where it is none of them. */
export function matchStep(
  secret: string,
  { code, time }: { readonly code: string; readonly time: number },
): number | null {
  if (!/^\d{6}$/.test(code)) return null;
  const now = Math.floor(time / STEP_MS);
  const steps = Array.from({ length: 2 * DRIFT_STEPS + 1 }, (_, i) => now - DRIFT_STEPS + i);
  const matching = steps.filter((step) =>
    timingSafeEqual(Buffer.from(code), Buffer.from(totpCode(secret, step * STEP_MS))),
  );
  return matching.at(-1) ?? null;
}

/** Returns the code of a secret at a moment in milliseconds since the epoch (RFC 6238 section 4). */
export function totpCode(secret: string, time: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(time / STEP_MS)));
  const mac = createHmac("sha1", decodeBase32(secret)).update(counter).digest();
  // RFC 4226 section 5.3: the last four bits say where the number stands.
  const number = mac.readUInt32BE((mac.at(-1) ?? 0) & 0xf) & 0x7fff_ffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, "0");
}

const ISSUER = "Tocsin";

function decodeBase32(text: string): Buffer {
  const bits = Array.from(text, (letter) => BASE32.indexOf(letter).toString(2).padStart(5, "0"));
  const bytes = bits.join("").match(/.{8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
}
