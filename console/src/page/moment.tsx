import { dateFormat } from "../language/date-format.ts";

/** A time, an RFC 3339 string, in the reader's words and time zone; the exact one shows on hover. */
export function Moment({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={exactly(at)}>
      {momentOf(at)}
    </time>
  );
}

/** The time of day, for places that name the day already; the exact time shows on hover. */
export function TimeOfDay({ at }: { readonly at: string }) {
  const text = dateFormat(TIME).format(new Date(at));
  return (
    <time dateTime={at} title={exactly(at)}>
      {text}
    </time>
  );
}

/** Returns a time in the reader's locale, without the date if it is today. */
export function momentOf(at: string): string {
  const date = new Date(at);
  const isToday = date.toDateString() === new Date().toDateString();
  const style = isToday ? TIME : DATE_AND_TIME;
  return dateFormat(style).format(date);
}

/** Returns a time with its day and its second, in the reader's locale. */
export function exactly(at: string): string {
  return dateFormat(EXACTLY).format(new Date(at));
}

const EXACTLY = { dateStyle: "full", timeStyle: "medium" } as const;
const TIME = { timeStyle: "short" } as const;
const DATE_AND_TIME = { dateStyle: "medium", timeStyle: "short" } as const;
