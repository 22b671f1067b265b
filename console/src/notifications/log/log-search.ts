import { currentLocale } from "../../language/language.ts";
import { DELIVERY_FATES, type DeliveryFate, type NotificationsQuery } from "@tocsin/sdk";

/** Search in the address of the log; days are those of the reader, such as `2026-05-04`. */
export interface LogSearch {
  readonly state?: DeliveryFate;
  readonly channel?: string;
  readonly key?: string;
  readonly device?: string;
  /** Reason for the outcome of a delivery. */
  readonly code?: string;
  readonly q?: string;
  readonly from?: string;
  readonly to?: string;
}

const TEXT_MAX = 100;

/** Returns the search in an address; values that the server would refuse are left out. */
export function parseLogSearch(search: Readonly<Record<string, unknown>>): LogSearch {
  const state = fateOf(search["state"]);
  return {
    ...(state === null ? {} : { state }),
    ...kept("channel", search, /^[A-Za-z0-9-]{1,64}$/),
    ...kept("key", search, /^[A-Za-z0-9_-]{1,64}$/),
    ...kept("device", search, /^[A-Za-z0-9_-]{1,64}$/),
    ...kept("code", search, /^[a-z0-9_]{1,64}$/),
    ...kept("q", search, /\S/),
    ...kept("from", search, DAY),
    ...kept("to", search, DAY),
  };
}

/** Returns the query to the server; the day `to` is included. */
export function queryOf({ from, to, ...rest }: LogSearch): NotificationsQuery {
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

function fateOf(value: unknown): DeliveryFate | null {
  const fates = Object.keys(DELIVERY_FATES) as DeliveryFate[]; // The keys of a constant.
  return fates.find((fate) => fate === value) ?? null;
}

/** Addresses typed by hand have numbers instead of strings. */
function kept<Name extends keyof LogSearch>(
  name: Name,
  search: Readonly<Record<string, unknown>>,
  pattern: RegExp,
): { readonly [Key in Name]?: string } {
  const value = search[name];
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string" || text.length > TEXT_MAX || !pattern.test(text)) return {};
  if (pattern === DAY && Number.isNaN(Date.parse(text))) return {};
  // One name makes an object with one key.
  return { [name]: text } as { readonly [Key in Name]?: string };
}

function dayStart(day: string, daysLater: number): string {
  return startOf(day, daysLater).toISOString();
}

function startOf(day: string, daysLater: number): Date {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  return new Date(year, month - 1, date + daysLater);
}

/** Returns the day that is `count` days before today, as an address writes it. */
export function dayBefore(count: number): string {
  const today = new Date();
  const day = new Date(today.getFullYear(), today.getMonth(), today.getDate() - count);
  const parts = [day.getMonth() + 1, day.getDate()].map((part) => String(part).padStart(2, "0"));
  return [day.getFullYear(), ...parts].join("-");
}

/** Returns a span of days in the reader's locale; an open end is an ellipsis. */
export function periodText(from: string | undefined, to: string | undefined): string {
  const format = new Intl.DateTimeFormat(currentLocale(), { dateStyle: "medium" });
  const words = [from, to].map((day) => (day === undefined ? "…" : format.format(startOf(day, 0))));
  return from === to ? (words[0] ?? "") : words.join(" – ");
}
