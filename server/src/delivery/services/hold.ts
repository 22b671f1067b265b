import type { Reason } from "#providers/provider.ts";

/** Why messages wait: the service refuses our credentials, it fails, or it asked us to slow down. */
export type HoldCause = "credentials" | "failing" | "throttled";

/** Why a service, or one of its devices, is given no messages. All moments are milliseconds since the epoch. */
export interface Hold {
  readonly cause: HoldCause;
  readonly reason: Reason;
  readonly since: number;
  /** One message is let through to see how things stand, not before this moment. */
  readonly until: number;
  /** True where one device waits by itself. */
  readonly isForDevice: boolean;
}
