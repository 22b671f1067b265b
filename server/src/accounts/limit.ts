import { isIPv6 } from "node:net";
import { AppError } from "#errors.ts";

/** How often something may be tried: `burst` times at once, `perHour` times in the long run. */
export interface Rate {
  readonly burst: number;
  readonly perHour: number;
}

/** Counts tries by key, in the memory of this process. */
export interface Limit {
  /** Counts a try; throws `rate_limited` where it is one too many. */
  take(key: string): void;
  /** Takes back one counted try. */
  giveBack(key: string): void;
}

const HOUR_MS = 3_600_000;
/** Beyond this many keys the oldest are forgotten. */
const KEYS_MAX = 10_000;

/** Returns a limit that follows the generic cell rate algorithm (ITU-T I.371): one moment per key. */
export function createLimit(now: () => number, { burst, perHour }: Rate): Limit {
  const intervalMs = HOUR_MS / perHour;
  const emptyAt = new Map<string, number>();
  return {
    take(key) {
      const time = now();
      const next = Math.max(time, emptyAt.get(key) ?? 0) + intervalMs;
      const waitMs = next - time - burst * intervalMs;
      if (waitMs > 0) throw tooMany(waitMs);
      // Set anew, so that the map's order is that of the last try.
      emptyAt.delete(key);
      emptyAt.set(key, next);
      if (emptyAt.size > KEYS_MAX) forgetOldest(emptyAt);
    },
    giveBack(key) {
      const moment = emptyAt.get(key);
      if (moment !== undefined) emptyAt.set(key, moment - intervalMs);
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
  failures.take(key);
  try {
    const result = await attempt();
    failures.giveBack(key);
    return result;
  } catch (error) {
    if (error instanceof AppError && error.code === "unavailable") failures.giveBack(key);
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

function forgetOldest(keys: Map<string, number>): void {
  for (const key of keys.keys()) {
    if (keys.size <= KEYS_MAX) return;
    keys.delete(key);
  }
}

function tooMany(retryAfterMs: number): AppError {
  return new AppError("rate_limited", "Too many attempts. Try again later.", { retryAfterMs });
}
