import { getDateFormat } from "../language/date-format.ts";

/** A time (an RFC 3339 string) in the reader's language and time zone. The exact time is shown on hover. */
export function Timestamp({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={formatExactTime(at)}>
      {formatTimestamp(at)}
    </time>
  );
}

/** The time of day, for lists that already name the day. The exact time is shown on hover. */
export function TimeOfDay({ at }: { readonly at: string }) {
  const text = getDateFormat(TIME).format(new Date(at));
  return (
    <time dateTime={at} title={formatExactTime(at)}>
      {text}
    </time>
  );
}

/** Returns a time in the reader's locale, without the date if it is today. */
export function formatTimestamp(timestamp: string): string {
  const date = new Date(timestamp);
  const isToday = date.toDateString() === new Date().toDateString();
  const style = isToday ? TIME : DATE_AND_TIME;
  return getDateFormat(style).format(date);
}

/** Returns a time with its day and its second, in the reader's locale. */
export function formatExactTime(timestamp: string): string {
  return getDateFormat(EXACT_TIME).format(new Date(timestamp));
}

const EXACT_TIME = { dateStyle: "full", timeStyle: "medium" } as const;
const TIME = { timeStyle: "short" } as const;
const DATE_AND_TIME = { dateStyle: "medium", timeStyle: "short" } as const;
