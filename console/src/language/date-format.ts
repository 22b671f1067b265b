import { getCurrentLocale } from "./language.ts";

const cachedFormats = new Map<string, Intl.DateTimeFormat>();

/** The parts of a date and time to format. */
export type DateStyle = Pick<Intl.DateTimeFormatOptions, "dateStyle" | "timeStyle" | "weekday">;

/**
 * Returns the formatter for dates and times in the reader's language, region and time zone. Formatters are cached,
 * because creating one costs more than rendering a list row. A new time zone takes effect when the page is reloaded.
 */
export function getDateFormat(style: DateStyle): Intl.DateTimeFormat {
  const locale = getCurrentLocale();
  const key = `${locale} ${style.dateStyle} ${style.timeStyle} ${style.weekday}`;
  const cachedFormat = cachedFormats.get(key);
  if (cachedFormat !== undefined) return cachedFormat;
  const format = new Intl.DateTimeFormat(locale, style);
  cachedFormats.set(key, format);
  return format;
}
