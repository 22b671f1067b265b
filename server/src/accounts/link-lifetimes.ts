import { DAY_MS } from "#schema/timestamp.ts";

const HOUR_MS = 3_600_000;

/** Lifetime of the link that verifies the address of a new account, in milliseconds. */
export const VERIFICATION_LINK_TTL_MS = 3 * DAY_MS;
/** Lifetime of an emailed link that resets a password, in milliseconds. */
export const RESET_LINK_TTL_MS = HOUR_MS;
/** Lifetime of the link that verifies an account's new address, in milliseconds. */
export const EMAIL_CHANGE_LINK_TTL_MS = HOUR_MS;
/** Lifetime of an invitation to sign up, in milliseconds. */
export const SIGN_UP_INVITATION_TTL_MS = 7 * DAY_MS;

/** Formats a lifetime of whole days or hours for an email, such as `3 days` or `1 hour`. */
export function formatLifetime(ttlMs: number): string {
  const [unit, unitMs] = ttlMs % DAY_MS === 0 ? ["day", DAY_MS] : ["hour", HOUR_MS];
  return new Intl.NumberFormat("en", { style: "unit", unit, unitDisplay: "long" }).format(
    ttlMs / unitMs,
  );
}
