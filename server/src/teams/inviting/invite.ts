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
import { invitePerson, type Invited } from "./store.ts";

export interface TeamInvitationDeps {
  readonly context: Context;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** Returns the statement that queues a mail; the mail folder provides it. */
  readonly mailInsert: (mail: Mail) => ForeignStatement;
  /** Whether a mail server is set up. */
  readonly sendsMail: boolean;
  /** Called after a mail was committed. */
  readonly wakeMail: () => void;
}

/** An invitation to send: by an account, to an address, into a team. */
export interface InviteInput {
  readonly teamId: string;
  readonly accountId: string;
  /** As the caller gave it. */
  readonly email: string;
  readonly by: Actor;
}

/** An invitation with its link, which is known only now. */
export interface LinkedInvitation {
  readonly invitation: PendingInvitation;
  readonly link: string;
  readonly isNew: boolean;
  readonly mail: InvitationMail;
}

/**
 * Invites a person and returns the link to hand over; links handed over before become invalid. Returns null if the
 * person is in the team. Throws `invalid_email`, `not_found`, `forbidden` or `invite_limit`.
 */
export async function inviteWithLink(
  deps: TeamInvitationDeps,
  input: InviteInput,
): Promise<LinkedInvitation | null> {
  const linkToken = newToken();
  const invited = await invite(deps, { ...input, linkToken, showsLink: true });
  const { isNew, invitation, isMailed } = invited;
  if (invitation === null) return null;
  const mail = deps.sendsMail ? (isMailed ? "queued" : "recent") : "off";
  return { invitation, link: linkOf(deps, linkToken), isNew, mail };
}

/**
 * Invites a person by mail; leaves a member as they are, and so an invitation mailed within 24 hours. Throws
 * `invalid_email`, `not_found`, `forbidden` or `invite_limit`.
 */
export async function inviteByMail(deps: TeamInvitationDeps, input: InviteInput): Promise<void> {
  await invite(deps, { ...input, linkToken: newToken(), showsLink: false });
}

/** Uses two tokens: holding the mailed one proves control of the address, and the inviter does not have it. */
async function invite(
  deps: TeamInvitationDeps,
  input: InviteInput & { readonly linkToken: string; readonly showsLink: boolean },
): Promise<Invited> {
  const { teamId, accountId, linkToken, showsLink, by } = input;
  const email = parseEmail(input.email);
  const mailToken = newToken();
  const invited = await invitePerson(deps.context, {
    inviting: { teamId, inviterId: accountId, email, by },
    hashes: { link: hashToken(linkToken), mail: hashToken(mailToken) },
    decide: (facts) => planInvitation(facts, { now: deps.context.now(), showsLink }),
    mailInsert: ({ teamName, ...inviter }) =>
      deps.mailInsert(
        invitationMail({ to: email, teamName, inviter, link: linkOf(deps, mailToken) }),
      ),
  });
  if (invited === null) throw teamNotFound();
  if (invited.kind === "issue") deps.wakeMail();
  return invited;
}

function linkOf({ baseUrl }: TeamInvitationDeps, token: string): string {
  return consoleLink(baseUrl, "invitation", token);
}
