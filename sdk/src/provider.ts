import type { PushAddress } from "./device.ts";
import type { Timestamp } from "./page.ts";

/** All push protocols; the first needs no set-up. */
export const PUSH_PROVIDERS = [
  "webpush",
  "apns",
  "fcm",
] as const satisfies readonly PushAddress["provider"][];

/** The push protocol of a device that registers a push address. */
export type PushProviderName = (typeof PUSH_PROVIDERS)[number];

/** All ways to reach a device: the push protocols, and the connection that an app such as ntfy or Gotify opens by itself. */
export const PROVIDERS = [...PUSH_PROVIDERS, "stream"] as const;

/** The way to reach a device. */
export type ProviderName = (typeof PROVIDERS)[number];

/** The display name of each way to reach a device. */
export const PROVIDER_LABELS: Readonly<Record<ProviderName, string>> = {
  webpush: "Web Push",
  apns: "APNs",
  fcm: "FCM",
  stream: "live connection",
};

/** A push service that is held now, or suspected to fail. */
export interface ServiceTrouble {
  readonly provider: PushProviderName;
  /** For example `apns production` or `webpush updates.push.services.mozilla.com`. */
  readonly service: string;
  readonly cause: "credentials" | "failing" | "throttled";
  readonly since: Timestamp;
  /** The number of the account's devices whose notifications it delays. */
  readonly ownDeviceCount: number;
}
