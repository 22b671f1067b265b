import type { TeamRole } from "@tocsin/sdk";
import { AppError } from "#errors.ts";
import { DAY_MS } from "#schema/timestamp.ts";
import { isExpired, type PendingInvitation } from "../invitations/invitation.ts";
import { requireManager } from "../members/member.ts";

/** The period of the limits of invitations and emails. */
export const LIMIT_PERIOD_MS = DAY_MS;
/** Maximum number of invitations per account in 24 hours, over all teams. */
const INVITATIONS_MAX = 20;
/** Maximum number of invitation emails per recipient in 24 hours, over all teams. */
const MAILS_MAX = 3;

/** The facts that determine the effect of an invitation. */
export interface InvitationFacts {
  readonly inviterRole: TeamRole;
  readonly isMember: boolean;
  readonly pending: PendingInvitation | null;
  /** Whether the inviter created the pending invitation. */
  readonly isOwnInvitation: boolean;
  /** Whether the creator of the pending invitation is suspended, so that its links are invalid. */
  readonly isPendingInviterSuspended: boolean;
  /** Number of invitations by the inviter within the period, including answered and revoked ones. */
  readonly invitedCount: number;
  /** Number of emails to the recipient within the period, from all teams. */
  readonly mailedCount: number;
  /**
   * Whether the recipient unsubscribed from invitation emails. The inviter sees the same result as for a rate-limited
   * recipient.
   */
  readonly hasRefusedMails: boolean;
}

/** The effect that an invitation request will have. */
export type InvitationPlan =
  /** No effect: the person is in the team. */
  | { readonly kind: "member" }
  /** No effect: the pending invitation is valid. */
  | { readonly kind: "unchanged"; readonly pending: PendingInvitation }
  /** Replaces the shared link by one from the inviter. The emailed link stays valid. */
  | { readonly kind: "relink"; readonly pending: PendingInvitation }
  /** Creates the invitation, or replaces `pending`. Earlier links become invalid. */
  | {
      readonly kind: "issue";
      readonly pending: PendingInvitation | null;
      readonly isMailed: boolean;
    };

/**
 * Decides the effect of an invitation. Issues a new link if the inviter will see it. Sends an email at most once in 24
 * hours. Throws `forbidden` if the inviter does not manage the team, and `invite_limit` above the limit of invitations.
 */
export function planInvitation(
  facts: InvitationFacts,
  { now, isLinkShown }: { readonly now: number; readonly isLinkShown: boolean },
): InvitationPlan {
  requireManager(facts.inviterRole);
  if (facts.isMember) return { kind: "member" };
  const { pending, hasRefusedMails } = facts;
  const isValid = pending !== null && !isExpired(pending, now) && !facts.isPendingInviterSuspended;
  const isMailed = !hasRefusedMails && isMailDue(pending, now) && facts.mailedCount < MAILS_MAX;
  if (isValid && !isMailed && !isLinkShown) return { kind: "unchanged", pending };
  const isRelinked = isValid && !isMailed;
  // A new link for another manager's invitation makes it the inviter's, so it counts.
  if (!(isRelinked && facts.isOwnInvitation)) requireInvitationQuota(facts);
  return isRelinked ? { kind: "relink", pending } : { kind: "issue", pending, isMailed };
}

function requireInvitationQuota({ invitedCount }: InvitationFacts): void {
  if (invitedCount < INVITATIONS_MAX) return;
  const message = `You may invite ${INVITATIONS_MAX} people in 24 hours. Try again later.`;
  throw new AppError("invite_limit", message);
}

function isMailDue(pending: PendingInvitation | null, now: number): boolean {
  const mailedAt = pending?.mailedAt ?? null;
  return mailedAt === null || mailedAt <= now - LIMIT_PERIOD_MS;
}
