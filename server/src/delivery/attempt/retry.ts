import type { ProviderName, ReasonCode } from "#providers/provider.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** An address doubted for this long is believed to be gone. */
export const SUSPECT_MS = HOUR;

/** Attempts that count; the last of them ends the delivery. */
export const ATTEMPTS_MAX: Readonly<Record<ProviderName, number>> = {
  apns: 8,
  fcm: 8,
  webpush: 12,
};

export interface RetryInput {
  readonly provider: ProviderName;
  readonly code: ReasonCode;
  /** Failed attempts that count so far, the last included. */
  readonly attempts: number;
  /** All tries so far, those that never left us included. */
  readonly tries: number;
  /** The least wait that the push service asked for. */
  readonly afterMs: number | null;
  /** From 0 up to 1. */
  readonly random: number;
}

/**
 * Returns how long to wait before the next attempt, in milliseconds: never sooner than the push service asked
 * for, and with jitter, so that devices that failed together are not tried again together.
 */
export function retryDelayMs(input: RetryInput): number {
  const { code, afterMs, random } = input;
  if (afterMs === null) return Math.round(waitMs(input));
  // A service that limits the rate knows its limit; a failing one may be wrong about its recovery.
  const least = code === "rate_limited" ? SECOND : waitMs(input);
  return Math.round(Math.max(least, afterMs) * (1 + 0.1 * random));
}

/** The last attempt begins this long before the end of a notification, a fifth more or less, … */
const LAST_MS = 5 * SECOND;
/** … and needs at least this: a message that is handed over later is too late for the device as well. */
const LAST_ROOM_MS = 2 * SECOND;

/** A retry, and the notification that it is for; moments in milliseconds since the epoch. */
export interface LastInput extends RetryInput {
  readonly now: number;
  readonly expiresAt: number;
}

/**
 * Returns when a device gets its last attempt whose next one would come after the notification's end; null where the
 * push service asks for a longer wait than is left. An attempt just before the end is followed by no other.
 */
export function lastAttemptAt(input: LastInput): number | null {
  const { code, provider, afterMs, random, now, expiresAt } = input;
  // Without a wait that it names, a service that asks to slow down is given ours in full.
  if (code === "rate_limited" && afterMs === null) return null;
  const isAtGoogle = provider === "fcm" && code !== "unreachable";
  const leastMs = Math.max(isAtGoogle ? GOOGLE_LEAST_MS : LAST_MS, afterMs ?? 0);
  const at = Math.round(Math.max(expiresAt - around(LAST_MS, random), now + leastMs));
  return at <= expiresAt - LAST_ROOM_MS ? at : null;
}

function waitMs({ provider, code, attempts, tries, random }: RetryInput): number {
  const count = Math.max(1, attempts);
  // Without a connection, a retry costs nobody but this server.
  if (code === "unreachable") return soonMs(Math.max(1, tries), random);
  if (code === "rate_limited") return throttledMs[provider](count, random);
  if (code === "ambiguous") return ambiguousMs[provider](count, random);
  return transientMs[provider](count, random);
}

/** The wait after so many attempts, for a random number from 0 up to 1. */
type Waits = Readonly<Record<ProviderName, (count: number, random: number) => number>>;

/** Google asks never to come back sooner than after 10 seconds. */
const GOOGLE_LEAST_MS = 10 * SECOND;

function googleMs(count: number, random: number): number {
  return Math.max(GOOGLE_LEAST_MS, upTo(doubling(20 * SECOND, 15 * MINUTE, count), random));
}

const transientMs: Waits = {
  // Apple says 15 minutes; an alarm that comes through by one try within a minute is worth that try.
  apns: (count, random) =>
    upTo(count === 1 ? MINUTE : doubling(15 * MINUTE, HOUR, count - 1), random),
  fcm: googleMs,
  // Browsers' push services ask for no rest that they do not name: two quick tries bridge a hiccup.
  webpush: (count, random) =>
    count <= 2
      ? around(step([SECOND, 5 * SECOND], count), random)
      : upTo(doubling(30 * SECOND, HOUR, count - 2), random),
};

const soonMs = (count: number, random: number) =>
  upTo(doubling(5 * SECOND, 10 * MINUTE, count), random);
const ambiguousMs: Waits = { apns: soonMs, fcm: googleMs, webpush: soonMs };

const patientMs = (count: number, random: number) => upTo(doubling(MINUTE, HOUR, count), random);
const throttledMs: Waits = {
  // Apple limits by device, and names no wait.
  apns: (count, random) => around(step([30 * SECOND, 2 * MINUTE, 10 * MINUTE], count), random),
  fcm: patientMs,
  webpush: patientMs,
};

/** From half of a wait up to all of it. */
function upTo(ms: number, random: number): number {
  return ms * (0.5 + 0.5 * random);
}

/** A fifth less or more. */
function around(ms: number, random: number): number {
  return ms * (0.8 + 0.4 * random);
}

function doubling(baseMs: number, capMs: number, count: number): number {
  return Math.min(baseMs * 2 ** (count - 1), capMs);
}

function step(steps: readonly [number, ...number[]], count: number): number {
  return steps[Math.min(count, steps.length) - 1] ?? steps[0];
}
