import i18next from "i18next";
import { dateFormat } from "../../language/date-format.ts";

/** Returns the day of a time, an RFC 3339 string, in the reader's time zone; equal for times of one day. */
export function dayOf(at: string): string {
  return new Date(at).toDateString();
}

/** Returns the reader's name for the day of a time. */
export function nameOfDay(at: string): string {
  const day = dayOf(at);
  const today = new Date();
  const yesterday = new Date(today.getFullYear(), today.getMonth(), today.getDate() - 1);
  if (day === today.toDateString()) return i18next.t("feed.today");
  if (day === yesterday.toDateString()) return i18next.t("feed.yesterday");
  const date = new Date(at);
  // A week ago, the weekday was the same as today.
  const firstNamed = new Date(today.getFullYear(), today.getMonth(), today.getDate() - 6);
  const isNamed = date >= firstNamed && date < today;
  return dateFormat(isNamed ? { weekday: "long" } : { dateStyle: "full" }).format(date);
}
