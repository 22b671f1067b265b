import type { Mail } from "#mail/mail.ts";
import { formatMailTime } from "#mail/format-mail-time.ts";
import { toPlainName } from "#mail/plain-name.ts";

/** The purpose of these emails, by which the outbox finds the held email to an address. */
export const TOKEN_NOTICE = "token_notice";

/** An access token as the email describes it. */
export interface ListedToken {
  readonly label: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/**
 * Returns the email that notifies an account of `count` new access tokens. The email lists only `tokens`, which may be
 * fewer, and counts the rest.
 */
export function createNewTokensMail(
  { baseUrl, to }: { readonly baseUrl: string; readonly to: string },
  { tokens, count }: { readonly tokens: readonly ListedToken[]; readonly count: number },
): Mail {
  const link = `${baseUrl}/settings/access`;
  const unlistedCount = count - tokens.length;
  const lines = [
    ...tokens.map(formatLine),
    ...(unlistedCount > 0 ? [`  and ${unlistedCount} more`] : []),
  ];
  const subject =
    count === 1
      ? "A new access token can act for you"
      : `${count} new access tokens can act for you`;
  const pronoun = count === 1 ? "it" : "them";
  return {
    purpose: TOKEN_NOTICE,
    to,
    subject,
    link,
    text: `Created for your Tocsin account at ${baseUrl}:

${lines.join("\n")}

A program that has ${pronoun} can read and send as you, even after you change your password.

If it was you, there is nothing to do. If it was not you, revoke ${pronoun} on this page immediately:

${link}

Then open "Profile & security", change your password there, and end the sessions that are not yours.
If that does not work, ask the administrator of the server for help.
`,
  };
}

/** The label is user input, so everything that a mail program would turn into a link is removed. */
function formatLine({ label, createdAt }: ListedToken): string {
  return `  ${toPlainName(label) || "A token without a name"}, on ${formatMailTime(createdAt)}`;
}
