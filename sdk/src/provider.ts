import type { PushAddress } from "./device.ts";
import type { Timestamp } from "./page.ts";

/** All push protocols; the first needs no set-up. */
export const PROVIDERS = [
  "webpush",
  "apns",
  "fcm",
] as const satisfies readonly PushAddress["provider"][];

/** The push protocol of a device. */
export type ProviderName = (typeof PROVIDERS)[number];

/** The display name of each push protocol. */
export const PROVIDER_LABELS: Readonly<Record<ProviderName, string>> = {
  webpush: "Web Push",
  apns: "APNs",
  fcm: "FCM",
};

/** A push service that is held now, or suspected to fail. */
export interface ServiceTrouble {
  readonly provider: ProviderName;
  /** For example `apns production` or `webpush updates.push.services.mozilla.com`. */
  readonly service: string;
  readonly cause: "credentials" | "failing" | "throttled";
  readonly since: Timestamp;
  /** The number of the account's devices whose notifications it delays. */
  readonly ownDeviceCount: number;
}
