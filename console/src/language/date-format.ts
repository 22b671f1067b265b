import { currentLocale } from "./language.ts";

const formats = new Map<string, Intl.DateTimeFormat>();

/** How much of a moment is written. */
export type DateStyle = Pick<Intl.DateTimeFormatOptions, "dateStyle" | "timeStyle" | "weekday">;

/**
 * Returns what writes moments in the reader's language, region and time zone. It is made once: that costs more than all else
 * of a row in a list. A time zone that changes meanwhile counts from the next load of the page.
 */
export function dateFormat(style: DateStyle): Intl.DateTimeFormat {
  const locale = currentLocale();
  const key = `${locale} ${style.dateStyle} ${style.timeStyle} ${style.weekday}`;
  const known = formats.get(key);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat(locale, style);
  formats.set(key, made);
  return made;
}
