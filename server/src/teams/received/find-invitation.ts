import type { FoundInvitation } from "#accounts/sign-up.ts";
import { isExpired } from "../invitations/invitation.ts";
import { joinTeamIn } from "../members/store/members.ts";
import type { AcceptInvitationDeps } from "./accept-invitation.ts";
import { findByToken } from "./store.ts";

/** Returns the valid invitation of a token, by the token's SHA-256 in hexadecimal. Does not use it up. */
export async function findInvitation(
  { context, onTeamChanged }: AcceptInvitationDeps,
  tokenHash: string,
): Promise<FoundInvitation | null> {
  const invitation = await findByToken(context, tokenHash);
  if (invitation === null || isExpired(invitation, context.now())) return null;
  const { id: invitationId, teamId, email, isMailed, isByAdministrator } = invitation;
  return {
    email,
    isMailed,
    isByAdministrator,
    admit: (newcomer) => (db) =>
      joinTeamIn(db, context, {
        teamId,
        invitationId,
        tokenHash,
        accountId: newcomer.accountId,
        actor: newcomer.actor,
      }),
    admitted: () => onTeamChanged(teamId),
  };
}
