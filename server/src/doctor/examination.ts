import type { Config } from "#config/config.ts";
import type { ApnsSettings } from "#providers/apns/apns.ts";
import type { FcmSettings } from "#providers/fcm/fcm.ts";
import type { WebPushSettings } from "#providers/webpush/webpush.ts";

/** The configuration to examine, and the clock. */
export interface Examination extends Seams {
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
  readonly contact?: () => Promise<string | null>;
}

/** Overrides for tests: name resolution, connections and certificate authorities. */
export interface Seams {
  /** The certificate authority of the base URL's certificate, PEM. */
  readonly ca?: string;
  readonly webPush?: Pick<WebPushSettings, "resolve" | "isDenied" | "ca" | "connect">;
  readonly apns?: Pick<ApnsSettings, "ca">;
  readonly fcm?: Pick<FcmSettings, "ca">;
}
