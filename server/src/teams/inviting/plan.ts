import type { TeamRole } from "@tocsin/sdk";
import { AppError } from "#errors.ts";
import { isExpired, type PendingInvitation } from "../invitations/invitation.ts";
import { requireManager } from "../members/member.ts";

/** The span over which invitations and mails are counted. */
export const LIMIT_SPAN_MS = 24 * 60 * 60 * 1_000;
/** An account may invite this many in 24 hours, over all teams. */
const INVITATIONS_MAX = 20;
/** A recipient gets this many invitation mails in 24 hours, over all teams. */
const MAILS_MAX = 3;

/** Everything that decides what inviting someone does. */
export interface InvitationFacts {
  readonly inviterRole: TeamRole;
  readonly isMember: boolean;
  readonly pending: PendingInvitation | null;
  /** The pending one is the inviter's own. */
  readonly isOwn: boolean;
  /** Who made the pending one is suspended: its links open nothing. */
  readonly isHalted: boolean;
  /** Invitations of the inviter within the span, answered and revoked ones too. */
  readonly invited: number;
  /** Mails of all teams to this recipient within the span. */
  readonly mailed: number;
  /** The recipient wants no invitation mails; to who invites it is as if they had got enough of them. */
  readonly refusesMails: boolean;
}

/** What inviting someone does. */
export type InvitationPlan =
  /** Nothing: they are in the team. */
  | { readonly kind: "member" }
  /** Nothing: the invitation that they have is good. */
  | { readonly kind: "standing"; readonly pending: PendingInvitation }
  /** Gives it a new link of the inviter's instead of the old one; the link in the mail stays good. */
  | { readonly kind: "relink"; readonly pending: PendingInvitation }
  /** Makes it, or makes it anew in place of `pending`: links from before are dead. */
  | {
      readonly kind: "issue";
      readonly pending: PendingInvitation | null;
      readonly sendsMail: boolean;
    };

/**
 * Returns what inviting does: a new link where one is to be shown, a mail at most once in 24 hours.
 * Throws `forbidden` or `invite_limit`.
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
  if (isAlive && !sendsMail && !showsLink) return { kind: "standing", pending };
  const isRelinked = isAlive && !sendsMail;
  // Somebody else's counts as one of the inviter's from then on.
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
