import type { Invitation } from "@tocsin/sdk";
import { AppError } from "#errors.ts";
import { timestamp, DAY_MS } from "#schema/moment.ts";

/** How long an invitation can be accepted after it was made or renewed. */
export const VALIDITY_MS = 7 * DAY_MS;
/** An invitation that was neither accepted, declined nor revoked; it may have expired. */
export interface PendingInvitation {
  readonly id: string;
  /** Lower case. */
  readonly email: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly mailedAt: number | null;
}

/** Returns true from the moment at which an invitation can no longer be accepted. */
export function isExpired({ expiresAt }: { readonly expiresAt: number }, now: number): boolean {
  return expiresAt <= now;
}

/** Returns the same error for an invitation that is missing, answered, revoked or another's. */
export function invitationNotFound(): AppError {
  const message = "There is no such invitation. It may have been used or revoked.";
  return new AppError("not_found", message);
}

/** Returns the invitation as the app API shows it. */
export function showInvitation(invitation: Omit<PendingInvitation, "mailedAt">): Invitation {
  const { id, email, createdAt, expiresAt } = invitation;
  return {
    id,
    email,
    createdAt: timestamp(createdAt),
    expiresAt: timestamp(expiresAt),
  };
}
