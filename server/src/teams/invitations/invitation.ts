import type { Invitation } from "@tocsin/sdk";
import { AppError } from "#errors.ts";
import { formatTimestamp, DAY_MS } from "#schema/timestamp.ts";

/** Lifetime of an invitation, from its creation or renewal. */
export const INVITATION_TTL_MS = 7 * DAY_MS;

/** An invitation that was not accepted, declined or revoked. It may have expired. */
export interface PendingInvitation {
  readonly id: string;
  /** Lower case. */
  readonly email: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly mailedAt: number | null;
}

/** Returns whether an invitation has expired at the time `now`. */
export function isExpired({ expiresAt }: { readonly expiresAt: number }, now: number): boolean {
  return expiresAt <= now;
}

/**
 * Returns the error for an invitation that is missing, answered, revoked or for another account. It is always the
 * same.
 */
export function createNoSuchInvitationError(): AppError {
  const message = "There is no such invitation. It may have been used or revoked.";
  return new AppError("not_found", message);
}

/** Returns the invitation as the app API shows it. */
export function toInvitationResponse(invitation: Omit<PendingInvitation, "mailedAt">): Invitation {
  const { id, email, createdAt, expiresAt } = invitation;
  return {
    id,
    email,
    createdAt: formatTimestamp(createdAt),
    expiresAt: formatTimestamp(expiresAt),
  };
}
