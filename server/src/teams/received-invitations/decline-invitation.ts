import type { Context } from "#context.ts";
import { createNoSuchInvitationError } from "../invitations/invitation.ts";
import { requireVerified, type Recipient } from "./recipient.ts";
import { markInvitationDeclined } from "./store.ts";

/**
 * Declines an invitation, which invalidates its links. Throws `forbidden` if the recipient's address is not verified,
 * and `not_found` if they have no such invitation.
 */
export async function declineInvitation(
  context: Context,
  { recipient, invitationId }: { readonly recipient: Recipient; readonly invitationId: string },
): Promise<void> {
  requireVerified(recipient);
  const { email, accountId, actor } = recipient;
  const input = { invitationId, email, accountId, actor };
  if (!(await markInvitationDeclined(context, input))) throw createNoSuchInvitationError();
}
