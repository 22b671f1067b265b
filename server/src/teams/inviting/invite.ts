import type { JoinedStatement } from "#accounts/store/accounts.ts";
import type { InvitationMail } from "@tocsin/sdk";
import { parseEmail } from "#accounts/account.ts";
import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import type { Mail } from "#mail/mail.ts";
import { createConsoleLink } from "#accounts/console-link.ts";
import { hashToken, newToken } from "#token.ts";
import type { PendingInvitation } from "../invitations/invitation.ts";
import { createNoSuchTeamError } from "../team.ts";
import { createInvitationMail } from "./invitation-mail.ts";
import { planInvitation } from "./plan.ts";
import { invitePerson, type InvitationResult } from "./store.ts";

/** The dependencies of functions that invite people to a team. */
export interface TeamInvitationDeps {
  readonly context: Context;
  /** The public URL of the console, without a trailing slash. */
  readonly baseUrl: string;
  /** Returns the statement that queues an email. The mail room provides it. */
  readonly insertMailQuery: (mail: Mail) => JoinedStatement;
  /** Whether a mail server is configured. */
  readonly sendsMail: boolean;
  /** Called after an invitation was issued, which may have queued an email. */
  readonly wakeMailSender: () => void;
}

/** The team, the inviting account and the invited address. */
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
 * Invites a person and returns a link to share. Links that were shared before become invalid; an emailed one stays
 * valid only while its invitation is valid and no other email is due. Returns null if the person is in the team. Throws
 * `invalid_email` if the address is invalid, `not_found` if the inviter is not in the team, `forbidden` if they do not
 * manage it, and `invite_limit` above the limit of invitations.
 */
export async function inviteWithLink(
  deps: TeamInvitationDeps,
  input: InviteInput,
): Promise<LinkedInvitation | null> {
  const linkToken = newToken();
  const result = await inviteWithTokens(deps, { ...input, linkToken, isLinkShown: true });
  const { isNew, invitation, isMailed } = result;
  if (invitation === null) return null;
  const mail = deps.sendsMail ? (isMailed ? "queued" : "recent") : "off";
  return { invitation, link: createInvitationLink(deps, linkToken), isNew, mail };
}

/**
 * Invites a person without a link for the inviter. Changes nothing for a current member, or while a valid invitation
 * needs no new email. No email is sent to an address that unsubscribed or got its maximum of emails. Throws
 * `invalid_email` if the address is invalid, `not_found` if the inviter is not in the team, `forbidden` if they do not
 * manage it, and `invite_limit` above the limit of invitations.
 */
export async function inviteByMail(deps: TeamInvitationDeps, input: InviteInput): Promise<void> {
  await inviteWithTokens(deps, { ...input, linkToken: newToken(), isLinkShown: false });
}

/**
 * Stores an invitation with two tokens. Only the emailed token proves control of the address, because the inviter does
 * not have it.
 */
async function inviteWithTokens(
  deps: TeamInvitationDeps,
  input: InviteInput & { readonly linkToken: string; readonly isLinkShown: boolean },
): Promise<InvitationResult> {
  const { teamId, accountId, linkToken, isLinkShown, actor } = input;
  const email = parseEmail(input.email);
  const mailToken = newToken();
  const result = await invitePerson(deps.context, {
    request: { teamId, inviterId: accountId, email, actor },
    hashes: { link: hashToken(linkToken), mail: hashToken(mailToken) },
    decidePlan: (facts) => planInvitation(facts, { now: deps.context.now(), isLinkShown }),
    insertMailQuery: ({ teamName, ...inviter }) =>
      deps.insertMailQuery(
        createInvitationMail({
          to: email,
          teamName,
          inviter,
          link: createInvitationLink(deps, mailToken),
        }),
      ),
  });
  if (result === null) throw createNoSuchTeamError();
  if (result.kind === "issue") deps.wakeMailSender();
  return result;
}

function createInvitationLink({ baseUrl }: TeamInvitationDeps, token: string): string {
  return createConsoleLink(baseUrl, "invitation", token);
}
