import { currentLocale } from "./language.ts";

const formats = new Map<string, Intl.DateTimeFormat>();

/** Parts of a date and time that are written. */
export type DateStyle = Pick<Intl.DateTimeFormatOptions, "dateStyle" | "timeStyle" | "weekday">;

/**
 * Returns the formatter for dates and times in the reader's language, region and time zone. It is cached: making one
 * costs more than the rest of a list's row. A change of the time zone takes effect at the next load of the page.
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
