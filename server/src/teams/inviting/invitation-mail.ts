import { isEmailAddress, type Mail } from "#mail/mail.ts";

/** What strangers wrote stands in the mail up to this length. */
const NAME_MAX = 40;

/**
 * Returns the mail of an invitation. Of what strangers wrote it holds two short names without anything that a
 * mail program would make a link of, so that nobody advertises by inviting.
 */
export function invitationMail(input: {
  readonly to: string;
  readonly teamName: string;
  readonly inviter: { readonly name: string; readonly email: string };
  readonly link: string;
}): Mail {
  const { to, link } = input;
  const team = plainName(input.teamName) || "a team";
  const inviter = plainName(input.inviter.name) || "Someone";
  return {
    purpose: "invitation",
    to,
    subject: `Invitation to ${team}`,
    link,
    text: `${inviter}${addressOf(input.inviter.email)} invites you to the team ${team}.
Once you accept, notifications to the team reach your devices too.

To accept, open this page within 7 days and sign in with this e-mail address:

${link}

If you do not expect this invitation, ignore this mail: nothing more happens.
If you want no such mails, open the page above and choose "No more invitation mails".
`,
  };
}

/**
 * Returns a name of letters, digits, spaces and harmless marks, at most 40 characters; without dots, slashes,
 * colons and at signs nothing in it looks like a URL or an address. May be empty.
 */
export function plainName(name: string): string {
  // NFKC first: full-width dots and slashes are as good as their models to a mail program.
  const words = name
    .toWellFormed()
    .normalize("NFKC")
    .replace(/[^\p{L}\p{M}\p{N}\-_'’&+,()!#]+/gu, " ")
    .trim();
  return Array.from(words).slice(0, NAME_MAX).join("").trim();
}

/** The sign-in library alone decides which addresses accounts have. */
function addressOf(email: string): string {
  return isEmailAddress(email) ? ` (${email})` : "";
}
