import type { Reason } from "#providers/provider.ts";

/** Cause of a hold: the service refuses our credentials, it fails, or it throttles. */
export type HoldCause = "credentials" | "failing" | "throttled";

/**
 * The reason for which a service, or one of its devices, gets no messages. Moments are milliseconds since the epoch; within a
 * `Breaker`, which keeps it, they are by the monotonic clock.
 */
export interface Hold {
  readonly cause: HoldCause;
  readonly reason: Reason;
  readonly since: number;
  /** The earliest moment of a half-open probe. */
  readonly until: number;
  /** True if one device waits by itself. */
  readonly isForDevice: boolean;
}
