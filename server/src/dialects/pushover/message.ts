import type { ReadField } from "../read-fields.ts";
import { PushoverError } from "./pushover-error.ts";

/** A message in the format of Pushover's API. */
export interface PushoverMessage {
  readonly text: string;
  /** "" if it has no title. */
  readonly title: string;
  readonly url: string;
  /** From -2 to 2. */
  readonly priority: number;
  /** The seconds between two rounds of a message of priority 2, and until it expires; null for any other priority. */
  readonly rounds: { readonly retry: number; readonly expire: number } | null;
  /** Seconds; null if the message names none. */
  readonly ttl: number | null;
  readonly isHtml: boolean;
}

/** The shortest time between two rounds, in seconds (pushover.net/api#priority). */
const RETRY_MIN_S = 30;

/** Returns the message in the fields of a request; throws `PushoverError` for an invalid one. */
export function readPushoverMessage(read: ReadField): PushoverMessage {
  if (isYes(read("encrypted")))
    throw new PushoverError("encrypted", "is not supported", "this server cannot decrypt messages");
  const text = readText(read, "message");
  if (text.trim() === "") throw new PushoverError("message", "cannot be blank");
  const priority = readInteger(read, "priority") ?? 0;
  if (priority < -2 || priority > 2) throw new PushoverError("priority", "must be from -2 to 2");
  return {
    text,
    title: readText(read, "title"),
    url: readText(read, "url"),
    priority,
    rounds: priority === 2 ? readRounds(read) : null,
    ttl: readInteger(read, "ttl"),
    isHtml: isYes(read("html")),
  };
}

function readRounds(read: ReadField): { readonly retry: number; readonly expire: number } {
  const retry = readInteger(read, "retry");
  if (retry === null) throw new PushoverError("retry", "must be supplied with priority=2");
  if (retry < RETRY_MIN_S) throw new PushoverError("retry", "must be at least 30 seconds");
  const expire = readInteger(read, "expire");
  if (expire === null) throw new PushoverError("expire", "must be supplied with priority=2");
  if (expire < 1) throw new PushoverError("expire", "must be at least 1 second");
  return { retry, expire };
}

/** Returns a parameter as text; "" if it is not given. Numbers of JSON become text. */
export function readText(read: ReadField, name: string): string {
  const value = read(name);
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  throw new PushoverError(name, "must be a text");
}

/** Returns a whole number, which forms and queries write as text; null if it is not given. */
function readInteger(read: ReadField, name: string): number | null {
  const text = readText(read, name).trim();
  if (text === "") return null;
  const number = /^[-+]?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(number)) throw new PushoverError(name, "must be a whole number");
  return number;
}

function isYes(value: unknown): boolean {
  return value === 1 || value === true || value === "1" || value === "true";
}
