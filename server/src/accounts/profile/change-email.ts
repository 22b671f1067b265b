import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import type { MailQueue } from "#mail/mail.ts";
import { parseEmail } from "../account.ts";
import { EMAIL_CHANGE_LINK_TTL_MS } from "../link-lifetimes.ts";
import { insertChallenge } from "../store/challenges.ts";
import { createEmailChangedMail, createNewAddressMail } from "../mails.ts";
import { findAccountByEmail } from "../store/accounts.ts";
import { changeEmail } from "./store.ts";

/** The dependencies of a change of the email address. */
export interface ChangeEmailDeps {
  readonly context: Context;
  readonly mail: MailQueue;
  readonly baseUrl: string;
}

/** Emails a link to the new address. If the address has an account, emails nothing and returns in the same way. */
export async function beginEmailChange(
  { context, mail, baseUrl }: ChangeEmailDeps,
  input: { readonly accountId: string; readonly email: string },
): Promise<void> {
  const { accountId } = input;
  const email = parseEmail(input.email);
  const token = await insertChallenge(context, {
    kind: "email_change",
    accountId,
    content: email,
    ttlMs: EMAIL_CHANGE_LINK_TTL_MS,
  });
  if ((await findAccountByEmail(context, email)) !== null) return;
  await mail.enqueue(createNewAddressMail(baseUrl, { email, token }));
}

/**
 * Verifies the address that the token was emailed to, makes it the account's address, and notifies the previous one.
 * Throws `expired` if the token is no longer valid, and `conflict` if another account now has the address.
 */
export async function verifyEmailChange(
  { context, mail, baseUrl }: ChangeEmailDeps,
  { token, actor }: { readonly token: string; readonly actor: Actor },
): Promise<void> {
  const createNotice = (previousEmail: string) => createEmailChangedMail(baseUrl, previousEmail);
  const change = await changeEmail(context, { token, createNotice, actor });
  if (change === "expired") {
    throw new AppError("expired", "This link has expired or was used. Ask for a new one.");
  }
  if (change === "taken") {
    throw new AppError("conflict", "There is already an account with this email address.");
  }
  mail.wake();
}
