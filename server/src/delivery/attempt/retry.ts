import type { ProviderName, ReasonCode } from "#providers/provider.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Time after which a suspect address counts as gone. */
export const SUSPECT_GONE_AFTER_MS = HOUR_MS;

/** Maximum number of counted attempts. The last of them ends the delivery. */
export const ATTEMPTS_MAX: Readonly<Record<ProviderName, number>> = {
  apns: 8,
  fcm: 8,
  webpush: 12,
  // Only a failure of our own database is tried again.
  stream: 100,
};

/** The facts of a failed attempt that decide the delay before the next one. */
export interface RetryInput {
  readonly provider: ProviderName;
  readonly code: ReasonCode;
  /** Number of counted failed attempts, including the last. */
  readonly attempts: number;
  /** Number of all failed attempts, counted or not. */
  readonly tries: number;
  /** The minimum delay that the push service asked for. */
  readonly afterMs: number | null;
  /** From 0 up to 1. */
  readonly random: number;
}

/**
 * Returns the delay before the next attempt, in milliseconds. The delay is never shorter than the push service asked
 * for. Jitter spreads devices that failed together.
 */
export function computeRetryDelayMs(input: RetryInput): number {
  const { code, afterMs, random } = input;
  if (afterMs === null) return Math.round(computeBackoffMs(input));
  // A rate-limiting service knows its limit. A failing one may be wrong about its recovery.
  const minMs = code === "rate_limited" ? SECOND_MS : computeBackoffMs(input);
  return Math.round(Math.max(minMs, afterMs) * (1 + JITTER_SHARE * random));
}

/** Largest random share added to a delay that a push service asks for. */
const JITTER_SHARE = 0.1;

/** Time before the expiry at which a last attempt begins, 20 % more or less. */
const LAST_ATTEMPT_LEAD_MS = 5 * SECOND_MS;
/** Shortest time before the expiry for a last attempt. A message sent later would reach the device too late. */
const LAST_ATTEMPT_LEAD_MIN_MS = 2 * SECOND_MS;

/** A failed attempt, and the expiry of its notification. Times are in milliseconds since the epoch. */
export interface LastAttemptInput extends RetryInput {
  readonly now: number;
  readonly expiresAt: number;
}

/**
 * Returns the time of a last attempt for a device whose next attempt would come after the expiry; null if too little
 * time is left, or if the push service asks for a longer delay. No other attempt follows.
 */
export function computeLastAttemptAt(input: LastAttemptInput): number | null {
  const { code, provider, afterMs, random, now, expiresAt } = input;
  // A service that asks to slow down without a delay gets our full delay.
  if (code === "rate_limited" && afterMs === null) return null;
  const isFromGoogle = provider === "fcm" && code !== "unreachable";
  const minMs = Math.max(isFromGoogle ? GOOGLE_MIN_MS : LAST_ATTEMPT_LEAD_MS, afterMs ?? 0);
  const at = Math.round(
    Math.max(expiresAt - apply20PercentJitter(LAST_ATTEMPT_LEAD_MS, random), now + minMs),
  );
  return at <= expiresAt - LAST_ATTEMPT_LEAD_MIN_MS ? at : null;
}

function computeBackoffMs({ provider, code, attempts, tries, random }: RetryInput): number {
  const count = Math.max(1, attempts);
  // Without a connection, a retry costs the push service nothing.
  if (code === "unreachable") return computeQuickMs(Math.max(1, tries), random);
  if (code === "rate_limited") return THROTTLED_DELAYS[provider](count, random);
  if (code === "ambiguous") return AMBIGUOUS_DELAYS[provider](count, random);
  return TRANSIENT_DELAYS[provider](count, random);
}

/** Functions that return the delay after `count` failed attempts, for a random number from 0 up to 1. */
type DelaysByProvider = Readonly<Record<ProviderName, (count: number, random: number) => number>>;

/** Google asks for a delay of at least 10 seconds. */
const GOOGLE_MIN_MS = 10 * SECOND_MS;

function computeGoogleMs(count: number, random: number): number {
  return Math.max(
    GOOGLE_MIN_MS,
    applyHalfJitter(computeExponentialMs(20 * SECOND_MS, 15 * MINUTE_MS, count), random),
  );
}

function computeQuickMs(count: number, random: number): number {
  return applyHalfJitter(computeExponentialMs(5 * SECOND_MS, 10 * MINUTE_MS, count), random);
}

const TRANSIENT_DELAYS: DelaysByProvider = {
  // Apple asks for 15 minutes. One earlier attempt within a minute is worth it, because an alarm may get through.
  apns: (count, random) =>
    applyHalfJitter(
      count === 1 ? MINUTE_MS : computeExponentialMs(15 * MINUTE_MS, HOUR_MS, count - 1),
      random,
    ),
  fcm: computeGoogleMs,
  // Browsers' push services name a delay if they want one. Otherwise two quick attempts bridge a short failure.
  webpush: (count, random) =>
    count <= 2
      ? apply20PercentJitter(pickDelayMs([SECOND_MS, 5 * SECOND_MS], count), random)
      : applyHalfJitter(computeExponentialMs(30 * SECOND_MS, HOUR_MS, count - 2), random),
  stream: computeQuickMs,
};
const AMBIGUOUS_DELAYS: DelaysByProvider = {
  apns: computeQuickMs,
  fcm: computeGoogleMs,
  webpush: computeQuickMs,
  stream: computeQuickMs,
};

const computeSlowMs = (count: number, random: number) =>
  applyHalfJitter(computeExponentialMs(MINUTE_MS, HOUR_MS, count), random);
const THROTTLED_DELAYS: DelaysByProvider = {
  // Apple limits each device and names no delay.
  apns: (count, random) =>
    apply20PercentJitter(
      pickDelayMs([30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS], count),
      random,
    ),
  fcm: computeSlowMs,
  webpush: computeSlowMs,
  stream: computeSlowMs,
};

/** Returns a random duration from half of `ms` up to all of it. */
function applyHalfJitter(ms: number, random: number): number {
  return ms * (0.5 + 0.5 * random);
}

/** Returns a random duration from 20 % less to 20 % more than `ms`. */
function apply20PercentJitter(ms: number, random: number): number {
  return ms * (0.8 + 0.4 * random);
}

function computeExponentialMs(baseMs: number, capMs: number, count: number): number {
  return Math.min(baseMs * 2 ** (count - 1), capMs);
}

function pickDelayMs(steps: readonly [number, ...number[]], count: number): number {
  return steps[Math.min(count, steps.length) - 1] ?? steps[0];
}
