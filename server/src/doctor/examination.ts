import type { Config } from "#config/config.ts";
import type { ApnsSettings } from "#providers/apns/apns.ts";
import type { FcmSettings } from "#providers/fcm/fcm.ts";
import type { WebPushSettings } from "#providers/webpush/webpush.ts";

/** The configuration to examine, and the clock. */
export interface Examination extends Seams {
  /** The environment's by default; throws `ConfigError`. */
  readonly loadConfig?: () => Config;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
  /** From 0 up to 1. */
  readonly random: () => number;
  /**
   * Returns the contact that push services are told, if a running server knows it; otherwise it is read from the
   * database.
   */
  readonly contact?: () => Promise<string | null>;
}

/** Overrides for tests: names and certificates other than the public ones. */
export interface Seams {
  /** The certificate authority of the base URL's certificate, PEM. */
  readonly ca?: string;
  readonly webPush?: Pick<WebPushSettings, "resolve" | "isDenied" | "ca" | "connect">;
  readonly apns?: Pick<ApnsSettings, "ca">;
  readonly fcm?: Pick<FcmSettings, "ca">;
}
