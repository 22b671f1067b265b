import type { EndedInvitation, InvitationPreview, RecipientMails } from "@tocsin/sdk";
import type { Context } from "#context.ts";
import { hasRefusedMails } from "#mail/store/refusals.ts";
import { hashToken } from "#token.ts";
import { formatTimestamp } from "#schema/timestamp.ts";
import { createNoSuchInvitationError, isExpired } from "../invitations/invitation.ts";
import { findInvitationPreview, findMailedAddress } from "./store.ts";

/**
 * Returns a preview of an invitation for the holder of its token, without using up the token. An accepted invitation is
 * shown only to the member who accepted it (`accountId`, null if nobody is signed in). For an ended invitation, the
 * emailed link shows only the address and whether emails are refused. Throws `not_found` for an invalid token.
 */
export async function previewInvitation(
  context: Context,
  { token, accountId }: { readonly token: string; readonly accountId: string | null },
): Promise<InvitationPreview | EndedInvitation> {
  const tokenHash = hashToken(token);
  const preview = await findInvitationPreview(context, { tokenHash, accountId });
  if (preview === null) return previewEndedInvitation(context, tokenHash);
  const { teamName, inviterName, email, expiresAt, isMailed, isAccepted } = preview;
  return {
    team: { name: teamName },
    invitedBy: { name: inviterName },
    email,
    isMailed,
    expiresAt: formatTimestamp(expiresAt),
    state: isAccepted ? "accepted" : isExpired(preview, context.now()) ? "expired" : "open",
    mails: isMailed ? await findRecipientMails(context, email) : null,
  };
}

async function previewEndedInvitation(
  context: Context,
  tokenHash: string,
): Promise<EndedInvitation> {
  const email = await findMailedAddress(context, tokenHash);
  if (email === null) throw createNoSuchInvitationError();
  return { state: "over", email, mails: await findRecipientMails(context, email) };
}

async function findRecipientMails(
  { database: { db } }: Context,
  email: string,
): Promise<RecipientMails> {
  return (await hasRefusedMails(db, email)) ? "refused" : "sent";
}
