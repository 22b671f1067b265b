import { createHash } from "node:crypto";
import { isIPv6 } from "node:net";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import { countTry, forgetRestedTries, uncountTry } from "./store/tries.ts";

/** How often something may be tried: `burst` times at once, `perHour` times in the long run. */
export interface Rate {
  /** What is limited; no two limits have the same name. */
  readonly name: string;
  readonly burst: number;
  readonly perHour: number;
  /** Keys share so many counters by their hash; without it each has its own, and of too many in memory the oldest are forgotten. */
  readonly counters?: number;
}

/** Counts tries by key, at all processes that share the database. */
export interface Limit {
  /** Counts a try; throws `rate_limited` where it is one too many. */
  take(key: string): Promise<void>;
  /** Takes back one counted try; never rejects. */
  giveBack(key: string): Promise<void>;
}

const HOUR_MS = 3_600_000;
/** Beyond this many keys the oldest are forgotten. */
const KEYS_MAX = 10_000;
/** Each process clears away what has rested with every so many tries. */
const FORGET_EVERY = 1_000;

/** Returns a limit that follows the generic cell rate algorithm (ITU-T I.371): one moment per key. */
export function createLimit(context: Context, rate: Rate): Limit {
  return context.database.engine.name === "postgres"
    ? createSharedLimit(context, rate)
    : createOwnLimit(context, rate);
}

/** In memory: a process that has its database for itself writes nothing for it. */
function createOwnLimit({ elapsed }: Context, { burst, perHour, counters }: Rate): Limit {
  const intervalMs = HOUR_MS / perHour;
  /** Moments of the monotonic clock. */
  const restedAt = new Map<string, number>();
  const keysMax = counters ?? KEYS_MAX;
  return {
    async take(name) {
      const key = counterOf(name, counters);
      const time = elapsed();
      const next = Math.max(time, restedAt.get(key) ?? time) + intervalMs;
      const waitMs = next - time - burst * intervalMs;
      if (waitMs > 0) throw tooMany(waitMs);
      // Set anew, so that the map's order is that of the last try.
      restedAt.delete(key);
      restedAt.set(key, next);
      if (restedAt.size > keysMax) forgetOldest(restedAt, keysMax);
    },
    async giveBack(name) {
      const key = counterOf(name, counters);
      const moment = restedAt.get(key);
      if (moment !== undefined) restedAt.set(key, moment - intervalMs);
    },
  };
}

/** In the database: whoever guesses gets no more guesses from more processes. */
function createSharedLimit(context: Context, { name, burst, perHour, counters }: Rate): Limit {
  const intervalMs = HOUR_MS / perHour;
  // Addresses of people and of their networks are nobody's to read there.
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
 * Returns what `attempt` does, and counts it only where it fails by the caller's fault: counted before the try, so that
 * many at once cannot slip through, and taken back where it succeeds, or something that we depend on is down.
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

/** Returns what stands for the caller at `address`: an IPv6 customer has a whole /64 (RFC 6177). */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
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

/** Returns the key itself, or the one of so many counters that it shares. */
function counterOf(key: string, counters: number | undefined): string {
  if (counters === undefined) return key;
  return String(createHash("sha256").update(key).digest().readUInt32BE() % counters);
}

function forgetOldest(keys: Map<string, number>, keysMax: number): void {
  for (const key of keys.keys()) {
    if (keys.size <= keysMax) return;
    keys.delete(key);
  }
}

function tooMany(retryAfterMs: number): AppError {
  return new AppError("rate_limited", "Too many attempts. Try again later.", { retryAfterMs });
}
