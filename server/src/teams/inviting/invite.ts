import type { ForeignStatement } from "#accounts/store/accounts.ts";
import type { InvitationMail } from "@tocsin/sdk";
import { parseEmail } from "#accounts/account.ts";
import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import type { Mail } from "#mail/mail.ts";
import { consoleLink } from "#accounts/console-link.ts";
import { hashToken, newToken } from "#token.ts";
import type { PendingInvitation } from "../invitations/invitation.ts";
import { teamNotFound } from "../team.ts";
import { invitationMail } from "./invitation-mail.ts";
import { planInvitation } from "./plan.ts";
import { invitePerson, type InvitationResult } from "./store.ts";

export interface TeamInvitationDeps {
  readonly context: Context;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** Returns the statement that queues a mail. The mail room provides it. */
  readonly mailInsert: (mail: Mail) => ForeignStatement;
  /** Whether a mail server is configured. */
  readonly sendsMail: boolean;
  /** Called after a mail was committed. */
  readonly wakeMail: () => void;
}

/** An invitation by an account, to an email address, for a team. */
export interface InviteInput {
  readonly teamId: string;
  readonly accountId: string;
  /** Not normalised. */
  readonly email: string;
  readonly actor: Actor;
}

/** An invitation with its link, which cannot be read again. */
export interface LinkedInvitation {
  readonly invitation: PendingInvitation;
  readonly link: string;
  readonly isNew: boolean;
  readonly mail: InvitationMail;
}

/**
 * Invites a person and returns a link to share. Links shared before become invalid. Returns null if the person is in
 * the team. Throws `invalid_email`, `not_found`, `forbidden` or `invite_limit`.
 */
export async function inviteWithLink(
  deps: TeamInvitationDeps,
  input: InviteInput,
): Promise<LinkedInvitation | null> {
  const linkToken = newToken();
  const result = await invite(deps, { ...input, linkToken, isLinkShown: true });
  const { isNew, invitation, isMailed } = result;
  if (invitation === null) return null;
  const mail = deps.sendsMail ? (isMailed ? "queued" : "recent") : "off";
  return { invitation, link: invitationLink(deps, linkToken), isNew, mail };
}

/**
 * Invites a person by mail. Does nothing for a current member, or if an invitation was mailed within 24 hours. Throws
 * `invalid_email`, `not_found`, `forbidden` or `invite_limit`.
 */
export async function inviteByMail(deps: TeamInvitationDeps, input: InviteInput): Promise<void> {
  await invite(deps, { ...input, linkToken: newToken(), isLinkShown: false });
}

/** Creates two tokens. Only the mailed one proves control of the address, because the inviter does not have it. */
async function invite(
  deps: TeamInvitationDeps,
  input: InviteInput & { readonly linkToken: string; readonly isLinkShown: boolean },
): Promise<InvitationResult> {
  const { teamId, accountId, linkToken, isLinkShown, actor } = input;
  const email = parseEmail(input.email);
  const mailToken = newToken();
  const result = await invitePerson(deps.context, {
    request: { teamId, inviterId: accountId, email, actor },
    hashes: { link: hashToken(linkToken), mail: hashToken(mailToken) },
    decide: (facts) => planInvitation(facts, { now: deps.context.now(), isLinkShown }),
    mailInsert: ({ teamName, ...inviter }) =>
      deps.mailInsert(
        invitationMail({ to: email, teamName, inviter, link: invitationLink(deps, mailToken) }),
      ),
  });
  if (result === null) throw teamNotFound();
  if (result.kind === "issue") deps.wakeMail();
  return result;
}

function invitationLink({ baseUrl }: TeamInvitationDeps, token: string): string {
  return consoleLink(baseUrl, "invitation", token);
}
