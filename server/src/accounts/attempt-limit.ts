import { createHash } from "node:crypto";
import { isIPv6 } from "node:net";
import { normaliseAddress } from "#audit/address.ts";
import { RecentMap } from "#concurrency/recent-map.ts";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import { countAttempt, deleteIdleCounters, uncountAttempt } from "./store/attempts.ts";

/** A rate of attempts: `burst` immediately, then `perHour`. */
export interface AttemptRate {
  /** Unique name of the limit. */
  readonly name: string;
  readonly burst: number;
  readonly perHour: number;
  /**
   * Number of counters that all keys share, by hash. By default each key has its own counter, and in memory the oldest
   * are evicted.
   */
  readonly counterCount?: number;
}

/** Counts attempts per key, over all processes that share the database. */
export interface AttemptLimit {
  /** Counts an attempt. Throws `rate_limited` if it exceeds the rate. */
  take(key: string): Promise<void>;
  /** Subtracts one counted attempt. Never rejects. */
  giveBack(key: string): Promise<void>;
}

const HOUR_MS = 3_600_000;
/** Maximum number of keys in memory. The oldest are evicted. */
const KEYS_MAX = 10_000;
/** Number of attempts after which a process deletes idle counters. */
const ATTEMPTS_PER_CLEANUP = 1_000;

/** Creates a limit that uses the generic cell rate algorithm (ITU-T I.371), which stores one time per key. */
export function createAttemptLimit(context: Context, rate: AttemptRate): AttemptLimit {
  return context.database.engine.name === "postgres"
    ? createSharedLimit(context, rate)
    : createMemoryLimit(context, rate);
}

/** Keeps its counts in memory. With SQLite there is only one process, so nothing has to be stored. */
function createMemoryLimit(
  { elapsed }: Context,
  { burst, perHour, counterCount }: AttemptRate,
): AttemptLimit {
  const intervalMs = HOUR_MS / perHour;
  /** When each counter is idle again, on the monotonic clock. */
  const idleAt = new RecentMap<string, number>(counterCount ?? KEYS_MAX);
  return {
    async take(key) {
      const counter = selectCounter(key, counterCount);
      const now = elapsed();
      const nextIdleAt = Math.max(now, idleAt.get(counter) ?? now) + intervalMs;
      const waitMs = nextIdleAt - now - burst * intervalMs;
      if (waitMs > 0) throw createRateLimitError(waitMs);
      idleAt.set(counter, nextIdleAt);
    },
    async giveBack(key) {
      const counter = selectCounter(key, counterCount);
      const counterIdleAt = idleAt.get(counter);
      if (counterIdleAt !== undefined) idleAt.set(counter, counterIdleAt - intervalMs);
    },
  };
}

/** Keeps its counts in the database, so that more processes do not allow more guesses. */
function createSharedLimit(
  context: Context,
  { name, burst, perHour, counterCount }: AttemptRate,
): AttemptLimit {
  const intervalMs = HOUR_MS / perHour;
  // Email and IP addresses must not be readable in the database.
  const hashKey = (key: string) =>
    createHash("sha256")
      .update(`${name} ${selectCounter(key, counterCount)}`)
      .digest("hex");
  let attemptCount = 0;
  return {
    async take(key) {
      const attempt = { key: hashKey(key), intervalMs, windowMs: burst * intervalMs };
      const waitMs = await countAttempt(context, attempt);
      if (waitMs !== null) throw createRateLimitError(waitMs);
      attemptCount += 1;
      if (attemptCount % ATTEMPTS_PER_CLEANUP === 0) await deleteIdleCounters(context);
    },
    async giveBack(key) {
      try {
        await uncountAttempt(context, { key: hashKey(key), intervalMs });
      } catch (error) {
        context.log.warn({ err: error }, "could not subtract an attempt that did not fail");
      }
    },
  };
}

/**
 * Returns the result of `attempt`, and counts only failures of the caller. The attempt is counted first, so that
 * concurrent attempts cannot exceed the limit, and subtracted again if it succeeds or fails with `unavailable`.
 */
export async function countFailures<T>(
  { limit, key }: { readonly limit: AttemptLimit; readonly key: string },
  attempt: () => Promise<T>,
): Promise<T> {
  await limit.take(key);
  try {
    const result = await attempt();
    await limit.giveBack(key);
    return result;
  } catch (error) {
    if (error instanceof AppError && error.code === "unavailable") await limit.giveBack(key);
    throw error;
  }
}

/**
 * Returns the network of an IP address, which is the key of rate limits. An IPv6 customer has a whole /64 (RFC 6177).
 */
export function toNetwork(ip: string): string {
  const address = normaliseAddress(ip);
  if (!isIPv6(address)) return address;
  const [leading = "", trailing] = address.split("%", 1).join("").split("::");
  const leadingGroups = leading === "" ? [] : leading.split(":");
  const trailingGroups = trailing === undefined || trailing === "" ? [] : trailing.split(":");
  const zeroCount = 8 - leadingGroups.length - trailingGroups.length;
  const zeros = Array.from({ length: zeroCount }, () => "0");
  return [...leadingGroups, ...zeros, ...trailingGroups]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":");
}

/** Returns the key itself, or the shared counter that its hash selects. */
function selectCounter(key: string, counterCount: number | undefined): string {
  if (counterCount === undefined) return key;
  return String(createHash("sha256").update(key).digest().readUInt32BE() % counterCount);
}

function createRateLimitError(retryAfterMs: number): AppError {
  return new AppError("rate_limited", "Too many attempts. Try again later.", { retryAfterMs });
}
