import type { TeamRole } from "@tocsin/sdk";
import { AppError } from "#errors.ts";
import { DAY_MS } from "#schema/moment.ts";
import { isExpired, type PendingInvitation } from "../invitations/invitation.ts";
import { requireManager } from "../members/member.ts";

/** The span over which invitations and mails are counted. */
export const LIMIT_SPAN_MS = DAY_MS;
/** An account may invite this many in 24 hours, over all teams. */
const INVITATIONS_MAX = 20;
/** The most invitation mails to a recipient in 24 hours, over all teams. */
const MAILS_MAX = 3;

/** The facts that decide the effect of inviting someone. */
export interface InvitationFacts {
  readonly inviterRole: TeamRole;
  readonly isMember: boolean;
  readonly pending: PendingInvitation | null;
  /** The inviter made the pending invitation. */
  readonly isOwn: boolean;
  /** The maker of the pending invitation is suspended: its links are invalid. */
  readonly isHalted: boolean;
  /** Invitations of the inviter within the period, answered and revoked ones too. */
  readonly invited: number;
  /** Mails of all teams to this recipient within the period. */
  readonly mailed: number;
  /** The recipient refuses invitation mails; the inviter sees the same as if they had got enough of them. */
  readonly refusesMails: boolean;
}

/** The effect of inviting someone. */
export type InvitationPlan =
  /** None: the person is in the team. */
  | { readonly kind: "member" }
  /** None: the pending invitation is valid. */
  | { readonly kind: "unchanged"; readonly pending: PendingInvitation }
  /** Replaces the old link by one of the inviter; the mailed link stays valid. */
  | { readonly kind: "relink"; readonly pending: PendingInvitation }
  /** Creates it, or replaces `pending`: earlier links become invalid. */
  | {
      readonly kind: "issue";
      readonly pending: PendingInvitation | null;
      readonly sendsMail: boolean;
    };

/**
 * Returns the effect of inviting: a new link if one is to be shown, a mail at most once in 24 hours. Throws `forbidden`
 * or `invite_limit`.
 */
export function planInvitation(
  facts: InvitationFacts,
  { now, showsLink }: { readonly now: number; readonly showsLink: boolean },
): InvitationPlan {
  requireManager(facts.inviterRole);
  if (facts.isMember) return { kind: "member" };
  const { pending } = facts;
  const isAlive = pending !== null && !isExpired(pending, now) && !facts.isHalted;
  const wantsMail = !facts.refusesMails;
  const sendsMail = wantsMail && isMailDue(pending, now) && facts.mailed < MAILS_MAX;
  if (isAlive && !sendsMail && !showsLink) return { kind: "unchanged", pending };
  const isRelinked = isAlive && !sendsMail;
  // Another manager's invitation counts against the inviter from now on.
  if (!(isRelinked && facts.isOwn)) requireRoom(facts);
  return isRelinked ? { kind: "relink", pending } : { kind: "issue", pending, sendsMail };
}

function requireRoom({ invited }: InvitationFacts): void {
  if (invited < INVITATIONS_MAX) return;
  const message = `You may invite ${INVITATIONS_MAX} people in 24 hours. Try again later.`;
  throw new AppError("invite_limit", message);
}

function isMailDue(pending: PendingInvitation | null, now: number): boolean {
  const mailedAt = pending?.mailedAt ?? null;
  return mailedAt === null || mailedAt <= now - LIMIT_SPAN_MS;
}
