import { isEmailAddress, type Mail } from "#mail/mail.ts";
import { toPlainName } from "#mail/plain-name.ts";
import { formatLifetime } from "#accounts/link-lifetimes.ts";
import { INVITATION_TTL_MS } from "../invitations/invitation.ts";

/**
 * Returns the email of an invitation. Its only user-supplied texts are the inviter's address and two short names,
 * without anything that a mail program would turn into another link. So invitations cannot be used for advertising.
 */
export function createInvitationMail(input: {
  readonly to: string;
  readonly teamName: string;
  readonly inviter: { readonly name: string; readonly email: string };
  readonly link: string;
}): Mail {
  const { to, link } = input;
  const team = toPlainName(input.teamName) || "a team";
  const inviter = toPlainName(input.inviter.name) || "Someone";
  return {
    purpose: "invitation",
    to,
    subject: `Invitation to ${team}`,
    link,
    text: `${inviter}${formatAddress(input.inviter.email)} invites you to the team ${team}.
Once you accept, notifications to the team reach your devices too.

To accept, open this page within ${formatLifetime(INVITATION_TTL_MS)} and sign in with this email address:

${link}

If you did not expect this invitation, ignore this email. You join the team only if you accept.
If you do not want such emails, open the page above and choose "No more invitation emails".
`,
  };
}

/** Returns an empty string for an invalid address, which an identity provider may supply. */
function formatAddress(email: string): string {
  return isEmailAddress(email) ? ` (${email})` : "";
}
