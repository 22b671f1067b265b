import type { InvitationMail } from "@tocsin/sdk";
import { parseEmail } from "#accounts/account.ts";
import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import type { Mail } from "#mail/mail.ts";
import { consoleLink } from "#console-link.ts";
import { hashToken, newToken } from "#token.ts";
import type { PendingInvitation } from "../invitations/invitation.ts";
import type { ForeignStatement } from "../store/teams.ts";
import { teamNotFound } from "../team.ts";
import { invitationMail } from "./invitation-mail.ts";
import { planInvitation } from "./plan.ts";
import { invitePerson, type Invited } from "./store.ts";

export interface InviteDeps {
  readonly context: Context;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** The statement that makes a mail owed; the mail folder provides it. */
  readonly mailInsert: (mail: Mail) => ForeignStatement;
  /** Whether a mail server is set up. */
  readonly sendsMail: boolean;
  /** Told after a mail was committed. */
  readonly wakeMail: () => void;
}

/** Who invites which address to which team. */
export interface InviteInput {
  readonly teamId: string;
  readonly accountId: string;
  /** As it was given. */
  readonly email: string;
  readonly by: Actor;
}

/** An invitation with the link that opens it, which is known only now. */
export interface LinkedInvitation {
  readonly invitation: PendingInvitation;
  readonly link: string;
  readonly isNew: boolean;
  readonly mail: InvitationMail;
}

/**
 * Invites a person and returns the link to hand over; links handed over before are dead. Returns null where
 * the person is in the team. Throws `invalid_email`, `not_found`, `forbidden` or `invite_limit`.
 */
export async function inviteWithLink(
  deps: InviteDeps,
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
 * Invites a person by mail; an invitation mailed within 24 hours stays as it is, and so does a member.
 * Throws `invalid_email`, `not_found`, `forbidden` or `invite_limit`.
 */
export async function inviteByMail(deps: InviteDeps, input: InviteInput): Promise<void> {
  await invite(deps, { ...input, linkToken: newToken(), showsLink: false });
}

/** Two tokens, so that who holds the mailed one proves to own the address, and the inviter does not. */
async function invite(
  deps: InviteDeps,
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

function linkOf({ baseUrl }: InviteDeps, token: string): string {
  return consoleLink(baseUrl, "invitation", token);
}
