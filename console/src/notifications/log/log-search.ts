import { getCurrentLocale } from "../../language/language.ts";
import {
  DELIVERY_STATE_GROUPS,
  type DeliveryStateGroup,
  type NotificationsQuery,
  CHANNEL_PATTERN,
} from "@tocsin/sdk";

/**
 * The search parameters of the log page's URL. `from` and `to` are days such as `2026-05-04`, in the reader's time
 * zone.
 */
export interface LogSearch {
  /** A group of delivery states. */
  readonly state?: DeliveryStateGroup;
  readonly channel?: string;
  /** Id of an API key, or `none` for the console. */
  readonly key?: string;
  readonly device?: string;
  /** The reason for the state of a delivery. */
  readonly code?: string;
  /** A string that the title or the body contains. */
  readonly q?: string;
  readonly from?: string;
  readonly to?: string;
}

const VALUE_LENGTH_MAX = 100;
const DAY_PATTERN = /^\d{4}-\d{2}-\d{2}$/;

/** Parses the search from the page's query. Omits values that the server would reject. */
export function parseLogSearch(search: Readonly<Record<string, unknown>>): LogSearch {
  const state = parseState(search["state"]);
  return {
    ...(state === null ? {} : { state }),
    ...parseParameter("channel", search, new RegExp(CHANNEL_PATTERN)),
    ...parseParameter("key", search, /^[A-Za-z0-9_-]{1,64}$/),
    ...parseParameter("device", search, /^[A-Za-z0-9_-]{1,64}$/),
    ...parseParameter("code", search, /^[a-z0-9_]{1,64}$/),
    ...parseParameter("q", search, /\S/),
    ...parseParameter("from", search, DAY_PATTERN),
    ...parseParameter("to", search, DAY_PATTERN),
  };
}

/** Returns the query for the server. The period includes the day `to`. */
export function toNotificationsQuery({ from, to, ...filters }: LogSearch): NotificationsQuery {
  return {
    ...filters,
    ...(from === undefined ? {} : { from: toDayStart(from, 0) }),
    ...(to === undefined ? {} : { to: toDayStart(to, 1) }),
  };
}

/** Returns whether any filter is set. */
export function isFiltered(search: LogSearch): boolean {
  return Object.keys(search).length > 0;
}

function parseState(value: unknown): DeliveryStateGroup | null {
  // `Object.keys` returns `string[]`; the cast restores the type of the keys.
  const states = Object.keys(DELIVERY_STATE_GROUPS) as DeliveryStateGroup[];
  return states.find((candidate) => candidate === value) ?? null;
}

/**
 * Returns an object with the parameter, or an empty object if it is invalid. The router turns a value of digits into a
 * number.
 */
function parseParameter<Name extends keyof LogSearch>(
  name: Name,
  search: Readonly<Record<string, unknown>>,
  pattern: RegExp,
): { readonly [Key in Name]?: string } {
  const value = search[name];
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string" || text.length > VALUE_LENGTH_MAX || !pattern.test(text)) return {};
  if (pattern === DAY_PATTERN && Number.isNaN(Date.parse(text))) return {};
  // The object has exactly this key.
  return { [name]: text } as { readonly [Key in Name]?: string };
}

function toDayStart(day: string, offsetDays: number): string {
  return toLocalDate(day, offsetDays).toISOString();
}

function toLocalDate(day: string, offsetDays: number): Date {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  return new Date(year, month - 1, date + offsetDays);
}

/** Returns the day that was `daysAgo` days ago, such as `2026-05-04`. */
export function getPastDay(daysAgo: number): string {
  const today = new Date();
  const day = new Date(today.getFullYear(), today.getMonth(), today.getDate() - daysAgo);
  const parts = [day.getMonth() + 1, day.getDate()].map((part) => String(part).padStart(2, "0"));
  return [day.getFullYear(), ...parts].join("-");
}

/** Formats a range of days in the reader's locale. An ellipsis stands for an open end. */
export function formatPeriod(from: string | undefined, to: string | undefined): string {
  const formatter = new Intl.DateTimeFormat(getCurrentLocale(), { dateStyle: "medium" });
  const days = [from, to].map((day) =>
    day === undefined ? "…" : formatter.format(toLocalDate(day, 0)),
  );
  return from === to ? (days[0] ?? "") : days.join(" – ");
}
