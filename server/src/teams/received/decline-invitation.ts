import type { Context } from "#context.ts";
import { invitationNotFound } from "../invitations/invitation.ts";
import { requireVerified, type Recipient } from "./recipient.ts";
import { declineReceived } from "./store.ts";

/** Declines an invitation to the recipient, which invalidates its links; throws `forbidden` or `not_found`. */
export async function declineInvitation(
  context: Context,
  { recipient, invitationId }: { readonly recipient: Recipient; readonly invitationId: string },
): Promise<void> {
  requireVerified(recipient);
  const { email, accountId, by } = recipient;
  const declining = { invitationId, email, accountId, by };
  if (!(await declineReceived(context, declining))) throw invitationNotFound();
}
