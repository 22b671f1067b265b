import type { NotificationContent } from "@tocsin/sdk";
import type { Mail } from "#mail/mail.ts";
import { formatMailTime } from "#mail/format-time.ts";
import type { Incident } from "./incident.ts";

/** Maximum length of the text of an incident in an email, in characters. */
const TEXT_LENGTH_MAX = 2_000;

/** The recipient of an alarm mail, its link, and the text of the incident. */
export interface AlarmMailInput {
  readonly email: string;
  readonly link: string;
  readonly body: NotificationContent["body"];
}

/** Returns the email that tells a person of an incident that nobody has taken yet. */
export function createAlarmMail(
  { title, channel, openedAt }: Incident,
  { email, link, body }: AlarmMailInput,
): Mail {
  const name = title === "" ? `An alarm in ${channel}` : title;
  const text = cut(body.trim());
  return {
    purpose: "incident",
    to: email,
    subject: name,
    text: `${name}
${text === "" ? "" : `\n${text}\n`}
Open since ${formatMailTime(openedAt)}. Nobody has taken it yet.

Open this page and press its button to take it. Everybody who was rung will learn that you have it:
${link}

The link works without signing in, and only for you: do not forward it.
`,
    link,
  };
}

function cut(text: string): string {
  const characters = Array.from(text);
  if (characters.length <= TEXT_LENGTH_MAX) return text;
  return `${characters.slice(0, TEXT_LENGTH_MAX - 1).join("")}…`;
}
