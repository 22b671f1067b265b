import type { Mail } from "#mail/mail.ts";
import { formatMailTime } from "#mail/format-time.ts";
import type { Incident } from "./incident.ts";

/** Returns the email that tells a person of an incident that nobody has taken yet. */
export function createAlarmMail(
  { title, channel, openedAt, notificationId }: Incident,
  { email, baseUrl }: { readonly email: string; readonly baseUrl: string },
): Mail {
  const link = `${baseUrl}/n/${notificationId}`;
  const name = title === "" ? `An alarm in ${channel}` : title;
  return {
    purpose: "incident",
    to: email,
    subject: name,
    text: `${name}

Open since ${formatMailTime(openedAt)}. Nobody has taken it yet.

Sign in to see it and to take it:
${link}
`,
    link,
  };
}
