import type { Timestamp } from "./page.ts";

/** All push protocols. */
export const PROVIDERS = ["apns", "fcm", "webpush"] as const;

/** The push protocol of a device. */
export type ProviderName = (typeof PROVIDERS)[number];

/** A push service that is held now, or suspected. */
export interface ServiceTrouble {
  readonly provider: ProviderName;
  /** For example `apns production` or `webpush updates.push.services.mozilla.com`. */
  readonly service: string;
  readonly cause: "credentials" | "failing" | "throttled";
  readonly since: Timestamp;
  /** The number of one's own devices whose notifications it delays. */
  readonly ownDeviceCount: number;
}
