import { currentLocale } from "../../language/language.ts";
import { DELIVERY_FATES, type DeliveryFate, type NotificationsQuery } from "@tocsin/sdk";

/** The search in the query of the log page. Days are in the reader's time zone, such as `2026-05-04`. */
export interface LogSearch {
  readonly state?: DeliveryFate;
  readonly channel?: string;
  readonly key?: string;
  readonly device?: string;
  /** Result code of a delivery. */
  readonly code?: string;
  readonly q?: string;
  readonly from?: string;
  readonly to?: string;
}

const VALUE_LENGTH_MAX = 100;

/** Parses the search from the page's query. Omits values that the server would reject. */
export function parseLogSearch(search: Readonly<Record<string, unknown>>): LogSearch {
  const state = parseOutcome(search["state"]);
  return {
    ...(state === null ? {} : { state }),
    ...pick("channel", search, /^[A-Za-z0-9-]{1,64}$/),
    ...pick("key", search, /^[A-Za-z0-9_-]{1,64}$/),
    ...pick("device", search, /^[A-Za-z0-9_-]{1,64}$/),
    ...pick("code", search, /^[a-z0-9_]{1,64}$/),
    ...pick("q", search, /\S/),
    ...pick("from", search, DAY),
    ...pick("to", search, DAY),
  };
}

/** Returns the query for the server. The day `to` is included. */
export function toNotificationsQuery({ from, to, ...rest }: LogSearch): NotificationsQuery {
  return {
    ...rest,
    ...(from === undefined ? {} : { from: dayStart(from, 0) }),
    ...(to === undefined ? {} : { to: dayStart(to, 1) }),
  };
}

/** Returns whether any filter is set. */
export function isFiltered(search: LogSearch): boolean {
  return Object.keys(search).length > 0;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

function parseOutcome(value: unknown): DeliveryFate | null {
  const outcomes = Object.keys(DELIVERY_FATES) as DeliveryFate[]; // The keys of a constant.
  return outcomes.find((outcome) => outcome === value) ?? null;
}

/** Returns an object with a value of the query if it is valid. The router parses digits as a number. */
function pick<Name extends keyof LogSearch>(
  name: Name,
  search: Readonly<Record<string, unknown>>,
  pattern: RegExp,
): { readonly [Key in Name]?: string } {
  const value = search[name];
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string" || text.length > VALUE_LENGTH_MAX || !pattern.test(text)) return {};
  if (pattern === DAY && Number.isNaN(Date.parse(text))) return {};
  // The object has exactly this key.
  return { [name]: text } as { readonly [Key in Name]?: string };
}

function dayStart(day: string, daysLater: number): string {
  return parseDay(day, daysLater).toISOString();
}

function parseDay(day: string, daysLater: number): Date {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  return new Date(year, month - 1, date + daysLater);
}

/** Returns the day that is `count` days before today, such as `2026-05-04`. */
export function dayBefore(count: number): string {
  const today = new Date();
  const day = new Date(today.getFullYear(), today.getMonth(), today.getDate() - count);
  const parts = [day.getMonth() + 1, day.getDate()].map((part) => String(part).padStart(2, "0"));
  return [day.getFullYear(), ...parts].join("-");
}

/** Returns a range of days in the reader's locale. An open end is an ellipsis. */
export function formatPeriod(from: string | undefined, to: string | undefined): string {
  const format = new Intl.DateTimeFormat(currentLocale(), { dateStyle: "medium" });
  const days = [from, to].map((day) => (day === undefined ? "…" : format.format(parseDay(day, 0))));
  return from === to ? (days[0] ?? "") : days.join(" – ");
}
