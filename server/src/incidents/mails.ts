import type { NotificationContent } from "@tocsin/sdk";
import type { Mail } from "#mail/mail.ts";
import { formatMailTime } from "#mail/format-mail-time.ts";
import type { Incident } from "./incident.ts";
import { ALARM_MAILS_PER_HOUR, getHourEnd, type MailHour } from "./alarm-mail-limit.ts";

/** Maximum length of the text of an incident in an email, in characters. */
const TEXT_LENGTH_MAX = 2_000;

/** The recipient of an alarm email, its link, and the text of the incident. */
export interface AlarmMailInput {
  readonly email: string;
  readonly link: string;
  readonly body: NotificationContent["body"];
}

/** Returns the email that tells a person of an incident that nobody has acknowledged yet. */
export function createAlarmMail(
  { title, channel, openedAt }: Incident,
  { email, link, body }: AlarmMailInput,
): Mail {
  const subject = title === "" ? `An alarm in ${channel}` : title;
  const text = cut(body.trim());
  return {
    purpose: "incident",
    to: email,
    subject,
    text: `${subject}
${text === "" ? "" : `\n${text}\n`}
Open since ${formatMailTime(openedAt)}. Nobody has taken it yet.

Open this page and press its button to take it. Everybody who was rung will learn that you have it:
${link}

The link works without signing in, and only for you: do not forward it.
`,
    link,
  };
}

/** Returns an alarm email with the notice that it is the last one in its hour. */
export function createLastAlarmMail(mail: Mail, hour: MailHour, incidentsLink: string): Mail {
  const { text } = mail;
  return {
    ...mail,
    text: `${text}
This is alarm email number ${ALARM_MAILS_PER_HOUR} to you in this hour. Further alarms send you no email until ${formatMailTime(getHourEnd(hour))}; then one email says how many there were. All incidents:
${incidentsLink}
`,
  };
}

/** Returns the summary of an hour: an email that says how many alarms had no email of their own. */
export function createSummaryMail(
  hour: MailHour,
  {
    email,
    link,
    alarmCount,
  }: { readonly email: string; readonly link: string; readonly alarmCount: number },
): Mail {
  const alarms = alarmCount === 1 ? "1 more alarm" : `${alarmCount} more alarms`;
  return {
    purpose: "incident_summary",
    to: email,
    subject: `${alarms} until ${formatMailTime(getHourEnd(hour))}`,
    text: `${alarms} in the hour from ${formatMailTime(hour.startsAt)} would have sent you an email. You got ${ALARM_MAILS_PER_HOUR} alarm emails in that hour, and one person gets no more. Devices rang as always.

All incidents, and who has taken them:
${link}
`,
    link,
  };
}

function cut(text: string): string {
  const characters = Array.from(text);
  if (characters.length <= TEXT_LENGTH_MAX) return text;
  return `${characters.slice(0, TEXT_LENGTH_MAX - 1).join("")}…`;
}
