import { Secret, TOTP } from "otpauth";

/** Returns the code that an authenticator app shows at a moment in milliseconds since the epoch; another's library makes it. */
export function totpCode(secret: string, timestamp: number): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp });
}
