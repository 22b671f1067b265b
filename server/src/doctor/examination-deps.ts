import type { Config } from "#config/config.ts";
import type { ApnsDeps } from "#providers/apns/apns.ts";
import type { FcmDeps } from "#providers/fcm/fcm.ts";
import type { WebPushDeps } from "#providers/webpush/webpush.ts";

/** The configuration to examine, the clocks, and overrides for tests. */
export interface ExaminationDeps extends NetworkOverrides {
  /** Throws `ConfigError`. By default, reads the environment. */
  readonly loadConfig?: () => Config;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
  /**
   * Returns the contact that a running server sends to push services. By default, it is read from the database.
   */
  readonly getContact?: () => Promise<string | null>;
}

/** The name resolution, connections and certificate authorities that tests replace. */
export interface NetworkOverrides {
  /** The certificate authority of the base URL's certificate, PEM. */
  readonly ca?: string;
  readonly webPush?: Pick<WebPushDeps, "resolve" | "isDenied" | "ca" | "connect">;
  readonly apns?: Pick<ApnsDeps, "ca">;
  readonly fcm?: Pick<FcmDeps, "ca">;
}
