import { createHash } from "node:crypto";
import { isIPv6 } from "node:net";
import { plainAddress } from "#audit/address.ts";
import { RecentMap } from "#concurrency/recent-map.ts";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import { countTry, forgetRestedTries, uncountTry } from "./store/tries.ts";

/** A rate of attempts: `burst` at once, `perHour` in the long run. */
export interface Rate {
  /** Unique name of the limit. */
  readonly name: string;
  readonly burst: number;
  readonly perHour: number;
  /** Number of counters that all keys share by their hash; without it each key has its own, and the oldest are evicted from memory. */
  readonly counters?: number;
}

/** Counts attempts by key, over all processes that share the database. */
export interface Limit {
  /** Counts an attempt; throws `rate_limited` if it exceeds the rate. */
  take(key: string): Promise<void>;
  /** Takes back one counted attempt; never rejects. */
  giveBack(key: string): Promise<void>;
}

const HOUR_MS = 3_600_000;
/** Most keys in memory; the oldest are evicted. */
const KEYS_MAX = 10_000;
/** Each process deletes idle counters once in so many attempts. */
const FORGET_EVERY = 1_000;

/** Returns a limit by the generic cell rate algorithm (ITU-T I.371): one moment per key. */
export function createLimit(context: Context, rate: Rate): Limit {
  return context.database.engine.name === "postgres"
    ? createSharedLimit(context, rate)
    : createOwnLimit(context, rate);
}

/** Counts in memory: a process that is alone on its database need not write. */
function createOwnLimit({ elapsed }: Context, { burst, perHour, counters }: Rate): Limit {
  const intervalMs = HOUR_MS / perHour;
  /** Moments of the monotonic clock. */
  const restedAt = new RecentMap<string, number>(counters ?? KEYS_MAX);
  return {
    async take(name) {
      const key = counterOf(name, counters);
      const time = elapsed();
      const next = Math.max(time, restedAt.get(key) ?? time) + intervalMs;
      const waitMs = next - time - burst * intervalMs;
      if (waitMs > 0) throw tooMany(waitMs);
      restedAt.set(key, next);
    },
    async giveBack(name) {
      const key = counterOf(name, counters);
      const moment = restedAt.get(key);
      if (moment !== undefined) restedAt.set(key, moment - intervalMs);
    },
  };
}

/** Counts in the database: more processes give no more guesses. */
function createSharedLimit(context: Context, { name, burst, perHour, counters }: Rate): Limit {
  const intervalMs = HOUR_MS / perHour;
  // Addresses of people and of their networks must not be readable there.
  const hashed = (key: string) =>
    createHash("sha256")
      .update(`${name} ${counterOf(key, counters)}`)
      .digest("hex");
  let taken = 0;
  return {
    async take(key) {
      const tried = { key: hashed(key), intervalMs, windowMs: burst * intervalMs };
      const waitMs = await countTry(context, tried);
      if (waitMs !== null) throw tooMany(waitMs);
      taken += 1;
      if (taken % FORGET_EVERY === 0) await forgetRestedTries(context);
    },
    async giveBack(key) {
      try {
        await uncountTry(context, { key: hashed(key), intervalMs });
      } catch (error) {
        context.log.warn({ err: error }, "a try is counted that should not be");
      }
    },
  };
}

/**
 * Returns the result of `attempt`, and counts it only if it fails by the caller's fault: it is counted before, so that
 * many at once cannot slip through, and taken back if it succeeds or fails as `unavailable`.
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

/** Returns the network of an address, by which callers are limited: an IPv6 customer has a whole /64 (RFC 6177). */
export function networkOf(ip: string): string {
  const address = plainAddress(ip);
  if (!isIPv6(address)) return address;
  const [head = "", tail] = address.split("%", 1).join("").split("::");
  const first = head === "" ? [] : head.split(":");
  const last = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => "0");
  return [...first, ...zeros, ...last]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":");
}

/** Returns the key itself, or the shared counter that its hash selects. */
function counterOf(key: string, counters: number | undefined): string {
  if (counters === undefined) return key;
  return String(createHash("sha256").update(key).digest().readUInt32BE() % counters);
}

function tooMany(retryAfterMs: number): AppError {
  return new AppError("rate_limited", "Too many attempts. Try again later.", { retryAfterMs });
}
