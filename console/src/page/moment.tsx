import { dateFormat } from "../language/date-format.ts";

/** A moment, an RFC 3339 string, in the reader's words and time zone; the exact one shows on hover. */
export function Moment({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={exactly(at)}>
      {momentOf(at)}
    </time>
  );
}

/** The time of a moment where its day is named already; the exact one shows on hover. */
export function TimeOfDay({ at }: { readonly at: string }) {
  const text = dateFormat(TIME).format(new Date(at));
  return (
    <time dateTime={at} title={exactly(at)}>
      {text}
    </time>
  );
}

/** Returns a moment as the reader writes it: the time alone where it is today. */
export function momentOf(at: string): string {
  const date = new Date(at);
  const isToday = date.toDateString() === new Date().toDateString();
  const style = isToday ? TIME : DATE_AND_TIME;
  return dateFormat(style).format(date);
}

/** Returns a moment with its day and its second, as the reader writes it. */
export function exactly(at: string): string {
  return dateFormat(EXACTLY).format(new Date(at));
}

const EXACTLY = { dateStyle: "full", timeStyle: "medium" } as const;
const TIME = { timeStyle: "short" } as const;
const DATE_AND_TIME = { dateStyle: "medium", timeStyle: "short" } as const;
