import { Secret, TOTP } from "otpauth";

/** RFC 4226 section 4, R6, recommends 160 bits. */
const SECRET_BYTES = 20;
/** A clock that is wrong by half a minute still counts (RFC 6238 section 5.2). */
const DRIFT_STEPS = 1;
const ISSUER = "Tocsin";

/** Returns a new secret in base32 (RFC 4648 section 6) without padding, as authenticator apps take it. */
export function newTotpSecret(): string {
  return new Secret({ size: SECRET_BYTES }).base32;
}

/** Returns what an authenticator app reads from a QR code: the `otpauth` scheme of Google Authenticator. */
export function totpUri({ secret, email }: { secret: string; email: string }): string {
  return totpOf(secret, email).toString();
}

/** Returns the time step whose code this is, within one step of `time`; null where it is none of them. */
export function matchStep(
  secret: string,
  { code, time: timestamp }: { readonly code: string; readonly time: number },
): number | null {
  // The library throws for six characters that are more bytes.
  if (!/^\d{6}$/.test(code)) return null;
  const totp = totpOf(secret);
  const delta = totp.validate({ token: code, timestamp, window: DRIFT_STEPS });
  return delta === null ? null : totp.counter({ timestamp }) + delta;
}

/** Returns the code that an authenticator app shows at a moment in milliseconds since the epoch. */
export function totpCode(secret: string, timestamp: number): string {
  return totpOf(secret).generate({ timestamp });
}

/** The library's own choices are named: authenticator apps, and secrets in use, depend on them. */
function totpOf(secret: string, label = ""): TOTP {
  const key = Secret.fromBase32(secret);
  return new TOTP({
    issuer: ISSUER,
    label,
    secret: key,
    algorithm: "SHA1",
    digits: 6,
    period: 30,
  });
}
