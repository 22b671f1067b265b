import type { Actor } from "#audit/event.ts";
import { insertEventQuery } from "#audit/store.ts";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import { insertMailQuery } from "#mail/store/outbox.ts";
import type { MailQueue } from "#mail/mail.ts";
import { createConsoleLink } from "../console-link.ts";
import { hashToken, newToken } from "#token.ts";
import { parseEmail } from "../account.ts";
import { SIGN_UP_INVITATION_TTL_MS } from "../link-lifetimes.ts";
import { createSignUpInvitationMail } from "../mails.ts";
import type { SignUpPolicy } from "../sign-up.ts";
import { findAccountByEmail } from "../store/accounts.ts";
import { insertSignUpInvitationQuery, type SignUpInvitation } from "./store.ts";

/** The dependencies of invitations to the server. */
export interface ServerInvitationDeps {
  readonly context: Context;
  readonly mail: MailQueue;
  readonly baseUrl: string;
  /** Whether a mail server is configured. */
  readonly sendsMail: boolean;
  readonly signUpPolicy: () => Promise<SignUpPolicy>;
}

/** An invitation with its link, which cannot be read again. */
export interface LinkedSignUpInvitation extends SignUpInvitation {
  readonly link: string;
  readonly isMailed: boolean;
}

/**
 * Creates an invitation for one person to sign up within seven days. With an email address, only that address can use
 * the invitation, which is also emailed if email is configured. Throws `invalid_email` if the address is invalid,
 * `conflict` if the address has an account, and `sign_up_closed` if sign-up is closed.
 */
export async function inviteToServer(
  deps: ServerInvitationDeps,
  input: { readonly invitedBy: string; readonly email: string | null; readonly actor: Actor },
): Promise<LinkedSignUpInvitation> {
  const { context, mail, baseUrl } = deps;
  const email = input.email === null ? null : parseEmail(input.email);
  if ((await deps.signUpPolicy()) === "closed") {
    throw new AppError(
      "sign_up_closed",
      "Sign-up is closed, so the link would not work. Allow sign-up first.",
    );
  }
  if (email !== null && (await findAccountByEmail(context, email)) !== null) {
    throw new AppError("conflict", "There is already an account with this email address.", {
      field: "email",
    });
  }
  const createdAt = context.now();
  const invitation = {
    id: context.newId(),
    email,
    createdAt,
    expiresAt: createdAt + SIGN_UP_INVITATION_TTL_MS,
  };
  const token = newToken();
  const mailToken = newToken();
  const isMailed = email !== null && deps.sendsMail;
  await context.database.atomically([
    insertSignUpInvitationQuery(context, {
      ...invitation,
      invitedBy: input.invitedBy,
      tokenHash: hashToken(token),
      mailTokenHash: isMailed ? hashToken(mailToken) : null,
    }),
    ...(isMailed
      ? [insertMailQuery(context, createSignUpInvitationMail(baseUrl, { email, token: mailToken }))]
      : []),
    insertEventQuery(context, {
      action: "sign_up_invitation_made",
      actor: input.actor,
      accountId: null,
      subjectId: invitation.id,
    }),
  ]);
  if (isMailed) mail.wake();
  return { ...invitation, link: createConsoleLink(baseUrl, "sign-up", token), isMailed };
}
