import type { Mail } from "#mail/mail.ts";
import { momentText } from "#mail/moment-text.ts";
import { plainName } from "#mail/plain-name.ts";

/** The purpose of these mails, by which a held one is found again. */
export const TOKEN_NOTICE = "token_notice";

/** An access token as its owner reads of it. */
export interface MadeToken {
  readonly label: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/** Returns the mail that notifies an account of new access tokens: `count` is all of them, and the given ones are named. */
export function newTokensMail(
  { baseUrl, to }: { readonly baseUrl: string; readonly to: string },
  { tokens, count }: { readonly tokens: readonly MadeToken[]; readonly count: number },
): Mail {
  const link = `${baseUrl}/settings/access`;
  const rest = count - tokens.length;
  const lines = [...tokens.map(lineOf), ...(rest > 0 ? [`  and ${rest} more`] : [])];
  const [subject, it] =
    count === 1
      ? ["A new access token can act for you", "it"]
      : [`${count} new access tokens can act for you`, "them"];
  return {
    purpose: TOKEN_NOTICE,
    to,
    subject,
    link,
    text: `Created for your Tocsin account at ${baseUrl}:

${lines.join("\n")}

A program that has ${it} can read and send as you, even after you change your password.

If it was you, there is nothing to do. If it was not, revoke ${it} on this page at once:

${link}

Then change your password in your profile, and end the sessions there that are not yours; or ask the
administrator of the server.
`,
  };
}

/** The label is free text, so anything that a mail program would turn into a link is removed. */
function lineOf({ label, createdAt }: MadeToken): string {
  return `  ${plainName(label) || "A token without a name"}, on ${momentText(createdAt)}`;
}
