import type { LookedAtInvitation } from "@tocsin/sdk";
import type { Context } from "#context.ts";
import { hashSecret } from "#secret.ts";
import { invitationNotFound, isExpired } from "../invitations/invitation.ts";
import { findBehindToken } from "./store.ts";

/**
 * Returns what the holder of an invitation's token may know of it; uses nothing up. An invitation that was accepted
 * is told of to the member alone who accepted it (`accountId`, null for nobody who is signed in).
 * Throws `not_found` for a token that opens nothing (any more).
 */
export async function lookAtInvitation(
  context: Context,
  { token, accountId }: { readonly token: string; readonly accountId: string | null },
): Promise<LookedAtInvitation> {
  const found = await findBehindToken(context, { tokenHash: hashSecret(token), accountId });
  if (found === null) throw invitationNotFound();
  const { teamName, inviterName, email, expiresAt, isMailed, isAccepted } = found;
  return {
    team: { name: teamName },
    invitedBy: { name: inviterName },
    email,
    isMailed,
    expiresAt: new Date(expiresAt).toISOString(),
    state: isAccepted ? "accepted" : isExpired(found, context.now()) ? "expired" : "open",
  };
}
