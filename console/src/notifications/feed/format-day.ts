import i18next from "i18next";
import { dateFormat } from "../../language/date-format.ts";

/** Returns the day of a time (an RFC 3339 string) in the reader's time zone. Equal for two times of the same day. */
export function dayOf(at: string): string {
  return new Date(at).toDateString();
}

/** Returns the day of a time as text: today, yesterday, a weekday, or a date. */
export function formatDay(at: string): string {
  const day = dayOf(at);
  const today = new Date();
  const yesterday = new Date(today.getFullYear(), today.getMonth(), today.getDate() - 1);
  if (day === today.toDateString()) return i18next.t("feed.today");
  if (day === yesterday.toDateString()) return i18next.t("feed.yesterday");
  const date = new Date(at);
  // Seven days ago, the weekday was the same as today's.
  const firstWeekday = new Date(today.getFullYear(), today.getMonth(), today.getDate() - 6);
  const isThisWeek = date >= firstWeekday && date < today;
  return dateFormat(isThisWeek ? { weekday: "long" } : { dateStyle: "full" }).format(date);
}
