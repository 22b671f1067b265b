import type { Context } from "#context.ts";
import type { MailQueue } from "#mail/mail.ts";
import { newToken } from "#token.ts";
import { RESET_LINK_TTL_MS } from "../link-lifetimes.ts";
import { createPasswordResetMail } from "../mails.ts";
import { findAccountByEmail } from "../store/accounts.ts";
import { insertMailedLink } from "./store/mailed-links.ts";

/** The dependencies of `requestPasswordReset`. */
export interface ResetRequestDeps {
  readonly context: Context;
  readonly mail: MailQueue;
  readonly baseUrl: string;
}

/** Emails a password reset link, valid for an hour, if the address has an account. */
export async function requestPasswordReset(
  { context, mail, baseUrl }: ResetRequestDeps,
  email: string,
): Promise<void> {
  const account = await findAccountByEmail(context, email);
  if (account === null) return;
  const token = newToken();
  const isQueued = await insertMailedLink(context, {
    accountId: account.id,
    token,
    endsAt: context.now() + RESET_LINK_TTL_MS,
    mail: createPasswordResetMail(baseUrl, { email: account.email, token }),
  });
  if (isQueued) mail.wake();
}
