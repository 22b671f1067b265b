import type { Config } from "#config/config.ts";
import type { ApnsDeps } from "#providers/apns/apns.ts";
import type { FcmDeps } from "#providers/fcm/fcm.ts";
import type { WebPushDeps } from "#providers/webpush/webpush.ts";

/** The loader of the configuration, the clocks, random numbers, the contact, and network overrides for tests. */
export interface DoctorDeps extends NetworkOverrides {
  /** Returns the configuration, by default from the environment. Throws `ConfigError` if it is invalid. */
  readonly loadConfig?: () => Config;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
  /** Returns the contact that a running server sends to push services. By default, it comes from the settings or the database. */
  readonly getContact?: () => Promise<string | null>;
}

/** The name resolution, connections and certificate authorities that tests replace. */
export interface NetworkOverrides {
  /** The CA that signed the certificate of the base URL, in PEM. */
  readonly ca?: string;
  readonly webPush?: Pick<WebPushDeps, "resolve" | "isDenied" | "ca" | "connect">;
  readonly apns?: Pick<ApnsDeps, "ca">;
  readonly fcm?: Pick<FcmDeps, "ca">;
}
