import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { requireManager } from "../members/member.ts";
import { findMembership } from "../store/teams.ts";
import { createNoSuchInvitationError } from "./invitation.ts";
import { markInvitationRevoked } from "./store.ts";

/**
 * Revokes an invitation, so that its links are invalid. Throws `not_found` if the team or the invitation does not exist
 * for the account, and `forbidden` if the account does not manage the team.
 */
export async function revokeInvitation(
  context: Context,
  input: {
    readonly teamId: string;
    readonly accountId: string;
    readonly invitationId: string;
    readonly actor: Actor;
  },
): Promise<void> {
  const team = await findMembership(context, input);
  requireManager(team?.role ?? null);
  if (!(await markInvitationRevoked(context, input))) throw createNoSuchInvitationError();
}
