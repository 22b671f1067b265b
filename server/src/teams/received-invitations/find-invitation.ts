import type { TeamInvitation } from "#accounts/sign-up.ts";
import { isExpired } from "../invitations/invitation.ts";
import { joinTeamInTransaction } from "../members/store/members.ts";
import type { AcceptInvitationDeps } from "./accept-invitation.ts";
import { findInvitationByToken } from "./store.ts";

/** Returns the valid invitation of a token, by the token's SHA-256 in hexadecimal; null if there is none. */
export async function findTeamInvitation(
  { context, onTeamChanged }: AcceptInvitationDeps,
  tokenHash: string,
): Promise<TeamInvitation | null> {
  const invitation = await findInvitationByToken(context, tokenHash);
  if (invitation === null || isExpired(invitation, context.now())) return null;
  const { id: invitationId, teamId, email, isMailed, isByAdministrator } = invitation;
  return {
    email,
    isMailed,
    isByAdministrator,
    createAcceptanceStep: (newcomer) => (db) =>
      joinTeamInTransaction(db, context, {
        teamId,
        invitationId,
        tokenHash,
        accountId: newcomer.accountId,
        actor: newcomer.actor,
      }),
    onAccepted: () => onTeamChanged(teamId),
  };
}
