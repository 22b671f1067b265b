import { createHash } from "node:crypto";
import { isIPv6 } from "node:net";
import { plainAddress } from "#audit/address.ts";
import { RecentMap } from "#concurrency/recent-map.ts";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import { countTry, forgetRestedTries, uncountTry } from "./store/tries.ts";

/** A rate of attempts: `burst` immediately, then `perHour`. */
export interface Rate {
  /** Unique name of the limit. */
  readonly name: string;
  readonly burst: number;
  readonly perHour: number;
  /**
   * Number of counters that all keys share, by hash. By default each key has its own counter, and the oldest are
   * evicted from memory.
   */
  readonly counters?: number;
}

/** Counts attempts per key, over all processes that share the database. */
export interface Limit {
  /** Counts an attempt. Throws `rate_limited` if it exceeds the rate. */
  take(key: string): Promise<void>;
  /** Uncounts one attempt. Never rejects. */
  giveBack(key: string): Promise<void>;
}

const HOUR_MS = 3_600_000;
/** Maximum number of keys in memory. The oldest are evicted. */
const KEYS_MAX = 10_000;
/** Number of attempts after which a process deletes idle counters. */
const CLEANUP_INTERVAL = 1_000;

/** Creates a limit that uses the generic cell rate algorithm (ITU-T I.371), which stores one time per key. */
export function createLimit(context: Context, rate: Rate): Limit {
  return context.database.engine.name === "postgres"
    ? createSharedLimit(context, rate)
    : createMemoryLimit(context, rate);
}

/** Counts in memory. With SQLite there is only one process, so nothing has to be stored. */
function createMemoryLimit({ elapsed }: Context, { burst, perHour, counters }: Rate): Limit {
  const intervalMs = HOUR_MS / perHour;
  /** Times of the monotonic clock. */
  const restedAt = new RecentMap<string, number>(counters ?? KEYS_MAX);
  return {
    async take(name) {
      const key = selectCounter(name, counters);
      const time = elapsed();
      const next = Math.max(time, restedAt.get(key) ?? time) + intervalMs;
      const waitMs = next - time - burst * intervalMs;
      if (waitMs > 0) throw tooMany(waitMs);
      restedAt.set(key, next);
    },
    async giveBack(name) {
      const key = selectCounter(name, counters);
      const time = restedAt.get(key);
      if (time !== undefined) restedAt.set(key, time - intervalMs);
    },
  };
}

/** Counts in the database, so that more processes do not allow more guesses. */
function createSharedLimit(context: Context, { name, burst, perHour, counters }: Rate): Limit {
  const intervalMs = HOUR_MS / perHour;
  // Email and IP addresses must not be readable in the database.
  const hashKey = (key: string) =>
    createHash("sha256")
      .update(`${name} ${selectCounter(key, counters)}`)
      .digest("hex");
  let attemptCount = 0;
  return {
    async take(key) {
      const attempt = { key: hashKey(key), intervalMs, windowMs: burst * intervalMs };
      const waitMs = await countTry(context, attempt);
      if (waitMs !== null) throw tooMany(waitMs);
      attemptCount += 1;
      if (attemptCount % CLEANUP_INTERVAL === 0) await forgetRestedTries(context);
    },
    async giveBack(key) {
      try {
        await uncountTry(context, { key: hashKey(key), intervalMs });
      } catch (error) {
        context.log.warn({ err: error }, "could not uncount a successful attempt");
      }
    },
  };
}

/**
 * Returns the result of `attempt`, and counts only failures of the caller. The attempt is counted first, so that
 * concurrent attempts cannot exceed the limit, and uncounted if it succeeds or fails with `unavailable`.
 */
export async function countFailures<T>(
  { failures, key }: { readonly failures: Limit; readonly key: string },
  attempt: () => Promise<T>,
): Promise<T> {
  await failures.take(key);
  try {
    const result = await attempt();
    await failures.giveBack(key);
    return result;
  } catch (error) {
    if (error instanceof AppError && error.code === "unavailable") await failures.giveBack(key);
    throw error;
  }
}

/**
 * Returns the network of an IP address, which is the key of rate limits. An IPv6 customer has a whole /64 (RFC 6177).
 */
export function networkOf(ip: string): string {
  const address = plainAddress(ip);
  if (!isIPv6(address)) return address;
  const [leading = "", trailing] = address.split("%", 1).join("").split("::");
  const first = leading === "" ? [] : leading.split(":");
  const last = trailing === undefined || trailing === "" ? [] : trailing.split(":");
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => "0");
  return [...first, ...zeros, ...last]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":");
}

/** Returns the key itself, or the shared counter that its hash selects. */
function selectCounter(key: string, counters: number | undefined): string {
  if (counters === undefined) return key;
  return String(createHash("sha256").update(key).digest().readUInt32BE() % counters);
}

function tooMany(retryAfterMs: number): AppError {
  return new AppError("rate_limited", "Too many attempts. Try again later.", { retryAfterMs });
}
