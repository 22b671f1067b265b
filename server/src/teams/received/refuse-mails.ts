import type { Context } from "#context.ts";
import { allowMails, refuseMails } from "#mail/store/refusals.ts";
import { hashToken } from "#token.ts";
import { invitationNotFound } from "../invitations/invitation.ts";
import { findMailedAddress } from "./store.ts";

/**
 * Stops the invitation mails of all teams, and of the server, to the address that a mailed link went to; safe to
 * repeat. Throws `not_found` for any other token.
 */
export async function refuseMailsByToken(context: Context, token: string): Promise<void> {
  await refuseMails(context, await addressBehind(context, token));
}

/** Allows invitation mails again to the address that a mailed link went to; safe to repeat. Throws `not_found`. */
export async function allowMailsByToken(context: Context, token: string): Promise<void> {
  await allowMails(context, await addressBehind(context, token));
}

/**
 * Returns the address of a mailed token; a link that was handed over proves no control of the mailbox, as the inviter
 * has it.
 */
async function addressBehind(context: Context, token: string): Promise<string> {
  const email = await findMailedAddress(context, hashToken(token));
  if (email === null) throw invitationNotFound();
  return email;
}
