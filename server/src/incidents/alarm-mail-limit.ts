/** Maximum number of alarm emails to a person in an hour. Further alarms are only counted. */
export const ALARM_MAILS_PER_HOUR = 20;

const HOUR_MS = 3_600_000;

/** An hour of the clock in which alarm emails to a person are counted. */
export interface MailHour {
  readonly accountId: string;
  /** Milliseconds since the epoch, a multiple of an hour. */
  readonly startsAt: number;
}

/** Returns the hour of a person that contains a time, in milliseconds since the epoch. */
export function toMailHour(accountId: string, at: number): MailHour {
  return { accountId, startsAt: Math.floor(at / HOUR_MS) * HOUR_MS };
}

/** Returns the end of an hour, in milliseconds since the epoch. */
export function getHourEnd({ startsAt }: MailHour): number {
  return startsAt + HOUR_MS;
}

/** Returns the subject id of the timer of an hour: `<account id>/<start>`. */
export function formatMailHour({ accountId, startsAt }: MailHour): string {
  return `${accountId}/${startsAt}`;
}

/** Parses the subject id of the timer of an hour; throws if it does not have the form that `formatMailHour` returns. */
export function parseMailHour(subjectId: string): MailHour {
  const [accountId = "", start = ""] = subjectId.split("/");
  const startsAt = Number(start);
  if (accountId === "" || start === "" || !Number.isSafeInteger(startsAt))
    throw new Error("The timer of alarm emails has no hour.");
  return { accountId, startsAt };
}
