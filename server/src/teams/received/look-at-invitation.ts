import type { EndedInvitation, LookedAtInvitation, RecipientMails } from "@tocsin/sdk";
import type { Context } from "#context.ts";
import { refusesMails } from "#mail/store/refusals.ts";
import { hashToken } from "#token.ts";
import { timestamp } from "#schema/moment.ts";
import { invitationNotFound, isExpired } from "../invitations/invitation.ts";
import { findBehindToken, findMailedAddress } from "./store.ts";

/**
 * Returns what the holder of an invitation's token may know of it; uses nothing up. An accepted invitation is shown
 * only to the member who accepted it (`accountId`, null without a session). Of an invitation that is over, the holder
 * of its mailed link learns only whether mails are refused. Throws `not_found` for an invalid token.
 */
export async function lookAtInvitation(
  context: Context,
  { token, accountId }: { readonly token: string; readonly accountId: string | null },
): Promise<LookedAtInvitation | EndedInvitation> {
  const tokenHash = hashToken(token);
  const found = await findBehindToken(context, { tokenHash, accountId });
  if (found === null) return lookAtEnded(context, tokenHash);
  const { teamName, inviterName, email, expiresAt, isMailed, isAccepted } = found;
  return {
    team: { name: teamName },
    invitedBy: { name: inviterName },
    email,
    isMailed,
    expiresAt: timestamp(expiresAt),
    state: isAccepted ? "accepted" : isExpired(found, context.now()) ? "expired" : "open",
    mails: isMailed ? await mailsTo(context, email) : null,
  };
}

async function lookAtEnded(context: Context, tokenHash: string): Promise<EndedInvitation> {
  const email = await findMailedAddress(context, tokenHash);
  if (email === null) throw invitationNotFound();
  return { state: "over", email, mails: await mailsTo(context, email) };
}

async function mailsTo({ database: { db } }: Context, email: string): Promise<RecipientMails> {
  return (await refusesMails(db, email)) ? "refused" : "sent";
}
