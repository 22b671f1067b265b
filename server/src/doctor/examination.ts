import type { Config } from "#config/config.ts";
import type { ApnsSettings } from "#providers/apns/apns.ts";
import type { FcmSettings } from "#providers/fcm/fcm.ts";
import type { WebPushSettings } from "#providers/webpush/webpush.ts";

/** What is examined, and by which clock. */
export interface Examination extends Seams {
  /** Throws `ConfigError`. */
  readonly loadConfig: () => Config;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** Tells whom push services are told to ask, where a running server knows; else the database is looked at. */
  readonly contact?: () => Promise<string | null>;
}

/** Only tests reach others by other names and certificates than the world's. */
export interface Seams {
  /** Who vouches for the base URL's certificate, PEM. */
  readonly ca?: string;
  readonly webPush?: Pick<WebPushSettings, "resolve" | "isDenied" | "ca" | "connect">;
  readonly apns?: Pick<ApnsSettings, "ca">;
  readonly fcm?: Pick<FcmSettings, "ca">;
}
