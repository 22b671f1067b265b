import type { Context } from "#context.ts";
import type { TimerHandler } from "#timers/timer.ts";
import { parseMailHour } from "./alarm-mail-limit.ts";
import { createSummaryMail } from "./mails.ts";
import { findPersonRecipient } from "./policies/store/recipients.ts";
import { storeSummary } from "./store/alarm-mails.ts";

/** The dependencies of the summary of an hour. */
export interface MailSummaryDeps {
  readonly context: Context;
  /** The address of the console's page with the incidents. */
  readonly incidentsLink: string;
  /** Called after an email is queued. */
  readonly announce: (queued: { readonly hasCallback: boolean; readonly hasMail: boolean }) => void;
}

/**
 * Returns the handler of the timer at the end of an hour in which a person had more alarms than emails. The handler
 * stores the summary of the hour.
 */
export function createMailSummaryHandler({
  context,
  incidentsLink,
  announce,
}: MailSummaryDeps): TimerHandler {
  return async ({ timer }) => {
    const hour = parseMailHour(timer.subjectId);
    const person = await findPersonRecipient(context, hour.accountId);
    const mayBeMailed = person !== null && person.isEmailVerified && !person.isSuspended;
    const hasMail = await storeSummary(context, {
      timer,
      hour,
      createMail: (alarmCount) =>
        mayBeMailed
          ? createSummaryMail(hour, { email: person.email, link: incidentsLink, alarmCount })
          : null,
    });
    if (hasMail) announce({ hasCallback: false, hasMail });
  };
}
