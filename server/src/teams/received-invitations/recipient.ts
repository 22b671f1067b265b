import type { Actor } from "#audit/event.ts";
import { AppError } from "#errors.ts";

/** The account that answers an invitation. */
export interface Recipient {
  readonly accountId: string;
  /** Lower case. */
  readonly email: string;
  readonly isEmailVerified: boolean;
  readonly actor: Actor;
}

/** Throws `forbidden` for an unverified address. */
export function requireVerified({ isEmailVerified }: Recipient): void {
  if (isEmailVerified) return;
  const message = "Confirm your email address first, or open the invitation's link.";
  throw new AppError("forbidden", message);
}
