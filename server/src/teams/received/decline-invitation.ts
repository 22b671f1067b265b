import type { Context } from "#context.ts";
import { invitationNotFound } from "../invitations/invitation.ts";
import { requireVerified, type Recipient } from "./recipient.ts";
import { declineReceived } from "./store.ts";

/** Declines an invitation, so that its links are invalid. Throws `forbidden` or `not_found`. */
export async function declineInvitation(
  context: Context,
  { recipient, invitationId }: { readonly recipient: Recipient; readonly invitationId: string },
): Promise<void> {
  requireVerified(recipient);
  const { email, accountId, actor } = recipient;
  const input = { invitationId, email, accountId, actor };
  if (!(await declineReceived(context, input))) throw invitationNotFound();
}
