import type { Reason } from "#providers/provider.ts";

/** The cause of a hold or a suspicion: the service refuses our credentials, fails or throttles. */
export type HoldCause = "credentials" | "failing" | "throttled";

/**
 * The reason why a service, or one of its devices, gets no messages, or why our credentials for it are under suspicion.
 * Other nodes receive holds as JSON. Times are in milliseconds since the epoch, but inside a `Breaker` they are on the
 * monotonic clock.
 */
export interface Hold {
  readonly cause: HoldCause;
  readonly reason: Reason;
  readonly since: number;
  /** The time of the next regular probe; the end of a throttle, or of the wait of one device. */
  readonly until: number;
  /** True if only one device is held. */
  readonly isForDevice: boolean;
}
