import type { EnvironmentReader } from "./environment-reader.ts";

/** The limit of an API key's requests. */
export interface RateLimitConfig {
  /** Requests per second; 0 switches the limit off. */
  readonly perSecond: number;
  /** Requests that a key may send at once after a pause. */
  readonly burst: number;
}

/** Returns the settings of `TOCSIN_RATE_LIMIT_…`. */
export function readRateLimit(reader: EnvironmentReader): RateLimitConfig {
  return {
    perSecond: reader.readInteger("TOCSIN_RATE_LIMIT_PER_S", {
      fallback: 50,
      min: 0,
      max: 1_000_000,
    }),
    burst: reader.readInteger("TOCSIN_RATE_LIMIT_BURST", {
      fallback: 1_000,
      min: 1,
      max: 10_000_000,
    }),
  };
}
