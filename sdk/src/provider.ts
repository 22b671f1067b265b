import type { PushAddress } from "./device.ts";
import type { Timestamp } from "./page.ts";

/** All push protocols; first the one that needs no set-up. */
export const PROVIDERS = [
  "webpush",
  "apns",
  "fcm",
] as const satisfies readonly PushAddress["provider"][];

/** The push protocol of a device. */
export type ProviderName = (typeof PROVIDERS)[number];

/** The name of each push protocol, as people know it. */
export const PROVIDER_LABELS: Readonly<Record<ProviderName, string>> = {
  webpush: "Web Push",
  apns: "APNs",
  fcm: "FCM",
};

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
