import { currentLocale } from "../../language/language.ts";
import { DELIVERY_FATES, type DeliveryFate, type NotificationsQuery } from "@tocsin/sdk";

/** What the address of the log asks for; days are those of the reader, such as `2026-05-04`. */
export interface LogSearch {
  readonly state?: DeliveryFate;
  readonly channel?: string;
  readonly key?: string;
  readonly device?: string;
  /** Why a delivery ended as it did. */
  readonly code?: string;
  readonly q?: string;
  readonly from?: string;
  readonly to?: string;
}

const TEXT_MAX = 100;

/** Returns what an address asks for; what the server would refuse is left out. */
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

/** Returns the question to the server: `to` is its last day. */
export function queryOf({ from, to, ...rest }: LogSearch): NotificationsQuery {
  return {
    ...rest,
    ...(from === undefined ? {} : { from: dayStart(from, 0) }),
    ...(to === undefined ? {} : { to: dayStart(to, 1) }),
  };
}

/** Returns whether anything is asked for at all. */
export function isFiltered(search: LogSearch): boolean {
  return Object.keys(search).length > 0;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

function fateOf(value: unknown): DeliveryFate | null {
  const fates = Object.keys(DELIVERY_FATES) as DeliveryFate[]; // The keys of a constant.
  return fates.find((fate) => fate === value) ?? null;
}

/** Addresses typed by hand have numbers in place of texts. */
function kept<Name extends keyof LogSearch>(
  name: Name,
  search: Readonly<Record<string, unknown>>,
  pattern: RegExp,
): { readonly [Key in Name]?: string } {
  const value = search[name];
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string" || text.length > TEXT_MAX || !pattern.test(text)) return {};
  if (pattern === DAY && Number.isNaN(Date.parse(text))) return {};
  // One name makes an object of one key.
  return { [name]: text } as { readonly [Key in Name]?: string };
}

function dayStart(day: string, daysLater: number): string {
  return startOf(day, daysLater).toISOString();
}

function startOf(day: string, daysLater: number): Date {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  return new Date(year, month - 1, date + daysLater);
}

/** Returns the day that lies so many days before today, as an address names it. */
export function dayBefore(count: number): string {
  const today = new Date();
  const day = new Date(today.getFullYear(), today.getMonth(), today.getDate() - count);
  const parts = [day.getMonth() + 1, day.getDate()].map((part) => String(part).padStart(2, "0"));
  return [day.getFullYear(), ...parts].join("-");
}

/** Returns a span of days as the reader writes it; where one end is open, a dash stands there. */
export function periodText(from: string | undefined, to: string | undefined): string {
  const format = new Intl.DateTimeFormat(currentLocale(), { dateStyle: "medium" });
  const words = [from, to].map((day) => (day === undefined ? "…" : format.format(startOf(day, 0))));
  return from === to ? (words[0] ?? "") : words.join(" – ");
}
