import type { Timestamp } from "./page.ts";

/** Every push protocol. */
export const PROVIDERS = ["apns", "fcm", "webpush"] as const;

/** Which push protocol reaches a device. */
export type ProviderName = (typeof PROVIDERS)[number];

/** A push service that is given no messages now, or is suspected. */
export interface ServiceTrouble {
  readonly provider: ProviderName;
  /** Such as `apns production` or `webpush updates.push.services.mozilla.com`. */
  readonly service: string;
  readonly cause: "credentials" | "failing" | "throttled";
  readonly since: Timestamp;
  /** One's own devices whose notifications are late by it. */
  readonly ownDeviceCount: number;
}
