import type { Context } from "#context.ts";
import { allowMails, refuseMails } from "#mail/store/refusals.ts";
import { hashToken } from "#token.ts";
import { createNoSuchInvitationError } from "../invitations/invitation.ts";
import { findMailedAddress } from "./store.ts";

/**
 * Unsubscribes the address of an emailed link from all invitation emails, of teams and of the server. Safe to repeat.
 * Throws `not_found` for any other token.
 */
export async function refuseMailsByToken(context: Context, token: string): Promise<void> {
  await refuseMails(context, await requireMailedAddress(context, token));
}

/**
 * Resubscribes the address of an emailed link to invitation emails. Safe to repeat. Throws `not_found` for any other
 * token.
 */
export async function allowMailsByToken(context: Context, token: string): Promise<void> {
  await allowMails(context, await requireMailedAddress(context, token));
}

/**
 * Returns the address of an emailed token. A shared link does not prove control of the mailbox, because the inviter has
 * it.
 */
async function requireMailedAddress(context: Context, token: string): Promise<string> {
  const email = await findMailedAddress(context, hashToken(token));
  if (email === null) throw createNoSuchInvitationError();
  return email;
}
