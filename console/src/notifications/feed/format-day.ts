import i18next from "i18next";
import { getDateFormat } from "../../language/date-format.ts";

/**
 * Returns the day of a time (an RFC 3339 string) in the reader's time zone. Times on the same day give equal strings.
 */
export function toLocalDay(timestamp: string): string {
  return new Date(timestamp).toDateString();
}

/** Returns the day of a time as text: today, yesterday, a weekday, or a date. */
export function formatDay(timestamp: string): string {
  const day = toLocalDay(timestamp);
  const today = new Date();
  const yesterday = new Date(today.getFullYear(), today.getMonth(), today.getDate() - 1);
  if (day === today.toDateString()) return i18next.t("feed.today");
  if (day === yesterday.toDateString()) return i18next.t("feed.yesterday");
  const date = new Date(timestamp);
  // Seven days ago, the weekday was the same as today's.
  const firstWeekday = new Date(today.getFullYear(), today.getMonth(), today.getDate() - 6);
  const isThisWeek = date >= firstWeekday && date < today;
  return getDateFormat(isThisWeek ? { weekday: "long" } : { dateStyle: "full" }).format(date);
}
