import type { Since } from "#apps/app-streams.ts";
import { NtfyError } from "../ntfy-error.ts";

/** The request that a position belongs to. */
export interface SinceContext {
  readonly isPoll: boolean;
  /** The current time, in milliseconds since the epoch. */
  readonly now: number;
}

/**
 * Returns the position that a request names: `all`, `none`, `latest`, the id of a message, seconds since the epoch, or a
 * duration before now such as `1h30m`. Without a position, a stream has the messages that the app was never given, and a
 * poll has all. Throws 40008 for any other text. (binwiederhier/ntfy: server/server.go, parseSince)
 */
export function parseSince(text: string, { isPoll, now }: SinceContext): Since {
  if (text === "") return { kind: isPoll ? "all" : "owed" };
  if (text === "all" || text === "none" || text === "latest") return { kind: text };
  if (ID_PATTERN.test(text)) return { kind: "id", id: text.toLowerCase() };
  if (SECONDS_PATTERN.test(text)) return { kind: "time", at: toClampedTime(Number(text)) };
  const durationMs = parseDuration(text);
  if (durationMs === null) throw new NtfyError(40008);
  return { kind: "time", at: toClampedTime(Math.floor((now - durationMs) / 1_000)) };
}

/** An id of this server, or one of ntfy's own server: an app may have read from such a server before. */
const ID_PATTERN = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-z]{12})$/i;
const SECONDS_PATTERN = /^[+-]?\d{1,19}$/;

/** The last time that a date can have, in milliseconds since the epoch (ECMA-262 section 21.4.1.1). */
const TIME_MAX_MS = 8.64e15;

/** Converts seconds since the epoch to milliseconds. Limits them to times from 1970 on that a date can have. */
function toClampedTime(seconds: number): number {
  return Math.min(TIME_MAX_MS, Math.max(0, seconds * 1_000));
}

/** Each digit can match in only one way, so that a long text is refused in linear time. */
const DURATION_PATTERN = /^([+-]?)((?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const UNIT_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

/** Returns a duration in milliseconds, in the notation of Go's package `time`; null for any other text. */
function parseDuration(text: string): number | null {
  const [, sign, parts] = DURATION_PATTERN.exec(text) ?? [];
  if (parts === undefined) return null;
  let durationMs = 0;
  for (const [, amount, unit = ""] of parts.matchAll(/([\d.]+)([a-zµμ]+)/g)) {
    durationMs += Number(amount) * (UNIT_MS[unit] ?? 0);
  }
  return sign === "-" ? -durationMs : durationMs;
}
