import type { Team } from "@tocsin/sdk";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import { hashToken } from "#token.ts";
import { createNoSuchInvitationError, isExpired } from "../invitations/invitation.ts";
import { joinTeam } from "../members/store/members.ts";
import { findMembership } from "../store/teams.ts";
import { requireVerified, type Recipient } from "./recipient.ts";
import { findInvitationByRecipient, findInvitationByToken, type OpenInvitation } from "./store.ts";

/** The dependencies of the functions that accept an invitation. */
export interface AcceptInvitationDeps {
  readonly context: Context;
  /** Called after a team's members may have changed. */
  readonly onTeamChanged: (teamId: string) => void;
}

/**
 * Accepts an invitation by its token, once, and makes the recipient a member of the team. Throws `not_found` if the
 * token is invalid or was used, `wrong_account` if the invitation is for another address, and `expired` after its expiry.
 */
export async function acceptInvitationByToken(
  deps: AcceptInvitationDeps,
  { recipient, token }: { readonly recipient: Recipient; readonly token: string },
): Promise<Team> {
  const tokenHash = hashToken(token);
  const invitation = await findInvitationByToken(deps.context, tokenHash);
  if (invitation === null) throw createNoSuchInvitationError();
  if (invitation.email !== recipient.email) {
    const message = "This invitation is for another address. Sign in with the account that has it.";
    throw new AppError("wrong_account", message);
  }
  return acceptFoundInvitation(deps, { recipient, invitation, tokenHash });
}

/**
 * Accepts an invitation by its id, once, and makes the recipient a member of the team. Throws `forbidden` if the
 * recipient's address is not verified, `not_found` if they have no such invitation, and `expired` after its expiry.
 */
export async function acceptInvitationById(
  deps: AcceptInvitationDeps,
  { recipient, invitationId }: { readonly recipient: Recipient; readonly invitationId: string },
): Promise<Team> {
  requireVerified(recipient);
  const { email } = recipient;
  const invitation = await findInvitationByRecipient(deps.context, { invitationId, email });
  if (invitation === null) throw createNoSuchInvitationError();
  return acceptFoundInvitation(deps, { recipient, invitation, tokenHash: null });
}

async function acceptFoundInvitation(
  deps: AcceptInvitationDeps,
  input: {
    readonly recipient: Recipient;
    readonly invitation: OpenInvitation;
    readonly tokenHash: string | null;
  },
): Promise<Team> {
  const { invitation, tokenHash } = input;
  const { accountId, actor } = input.recipient;
  const { id: invitationId, teamId } = invitation;
  if (isExpired(invitation, deps.context.now())) {
    throw new AppError("expired", "This invitation has expired. Ask for a new one.");
  }
  const hasJoined = await joinTeam(deps.context, {
    teamId,
    invitationId,
    tokenHash,
    accountId,
    actor,
  });
  if (!hasJoined) throw createNoSuchInvitationError();
  deps.onTeamChanged(teamId);
  const team = await findMembership(deps.context, { teamId, accountId });
  // The new member may have been removed meanwhile.
  if (team === null) throw createNoSuchInvitationError();
  return team;
}
