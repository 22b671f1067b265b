import type { DeliveryState } from "./delivery.ts";
import type { Timestamp } from "./page.ts";
import type { ProviderName } from "./provider.ts";

/** The platforms that a device can have. */
export const PLATFORMS = ["ios", "android", "web"] as const;

/** The platform of a device. */
export type Platform = (typeof PLATFORMS)[number];

/** An Apple device token in hexadecimal; `environment` defaults to `production`. */
export interface ApnsAddress {
  readonly provider: "apns";
  readonly token: string;
  readonly environment?: "production" | "sandbox";
}

/** A Firebase registration token or installation id. */
export interface FcmAddress {
  readonly provider: "fcm";
  readonly token: string;
}

/**
 * A browser's push subscription (W3C Push API), with its keys in base64url as `PushSubscription.toJSON` returns them.
 */
export interface WebPushAddress {
  readonly provider: "webpush";
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
}

/** The address of a device at its push service; a secret that no response repeats. */
export type PushAddress = ApnsAddress | FcmAddress | WebPushAddress;

/** An app that opens a connection to the server and fetches its notifications over it, such as the app of ntfy. */
export interface DeviceApp {
  /** The program; `other` is any other program that speaks the API of ntfy or Gotify. */
  readonly client: "ntfy" | "gotify" | "other";
  /** Whether the app has an open connection now. */
  readonly connected: boolean;
  /** The time of its latest connection or poll; null if it has never connected. */
  readonly lastConnectedAt: Timestamp | null;
  /** The app's own topic, which has the notifications of every channel. */
  readonly topic: string;
}

/** A device of the account. */
export interface Device {
  readonly id: string;
  readonly name: string;
  readonly platform: Platform;
  readonly provider: ProviderName;
  readonly paused: boolean;
  readonly createdAt: Timestamp;
  /** The time at which the device last sent its push address. */
  readonly registeredAt: Timestamp;
  readonly lastDelivery: LastDelivery | null;
  /** The host of a Web Push endpoint; null for the other providers. */
  readonly endpointHost: string | null;
  /** The app that connects to the server; absent for a device that a push service reaches. */
  readonly app?: DeviceApp;
}

/** The request that adds an app that speaks the API of ntfy. The app of Gotify signs in with the code of a pairing. */
export interface NewDeviceApp {
  readonly client: "ntfy" | "other";
  readonly name: string;
  readonly platform: Platform;
}

/** The values that a person enters in a new app. No other response contains the password. */
export interface AppCredentials {
  readonly device: Device;
  /** The address of the server, as the app asks for it. */
  readonly url: string;
  /** The app's own topic, which has the notifications of every channel. */
  readonly topic: string;
  readonly userName: string;
  /** The app password, in groups of four; the app may omit the hyphens. */
  readonly password: string;
}

/** A former device of the account that its push service has unregistered. */
export interface LeftDevice {
  readonly id: string;
  readonly name: string;
  readonly platform: Platform;
  readonly provider: ProviderName;
  /** The reason: one of `DELIVERY_CODES`, such as `device_gone`. */
  readonly code: string;
  readonly leftAt: Timestamp;
}

/** The state of the latest delivery to a device, and its time. */
export interface LastDelivery {
  readonly state: DeliveryState;
  readonly at: Timestamp;
}

/** The request that adds a device, or updates the device with this push address. */
export interface NewDevice {
  readonly name: string;
  readonly platform: Platform;
  readonly push: PushAddress;
}

/** A device after its registration. */
export interface RegisteredDevice extends Device {
  /** The key with which the device acts for the account; only in the response that adds the device. */
  readonly actionKey?: string;
}

/** A new action key of a device, which replaces its previous one. */
export interface RenewedActionKey {
  /** 128 random bits in base64url. */
  readonly actionKey: string;
}

/** The id and the action key of a device, which let it act for its account without a session. */
export interface DeviceCredential {
  readonly deviceId: string;
  readonly actionKey: string;
}

/**
 * An act of a device for its account: it marks notifications as read, acknowledges an incident, passes it on to the
 * next step of its policy, makes it ring again, or answers a prompt.
 */
export type Act =
  | {
      readonly act: "read";
      /** At most 50. */
      readonly notificationIds: readonly string[];
    }
  | { readonly act: "acknowledge" | "escalate" | "ring_again"; readonly incidentId: string }
  /** The answer is one of the choices, or else a text. */
  | { readonly act: "answer"; readonly promptId: string; readonly answer: string };

/** The name of an act. */
export type ActName = Act["act"];

/** The result of an act. The message is a sentence for the person. */
export interface ActResponse {
  readonly success: true;
  readonly message: string;
}

/** The request that changes a device. */
export interface DeviceChange {
  readonly name?: string;
  readonly paused?: boolean;
}

/** A named set of the account's devices. */
export interface DeviceGroup {
  readonly id: string;
  readonly name: string;
  readonly deviceIds: readonly string[];
}

/** The request that creates a device group. */
export interface NewDeviceGroup {
  readonly name: string;
  readonly deviceIds: readonly string[];
}

/** The request that changes a device group; `deviceIds` replaces the whole list. */
export interface DeviceGroupChange {
  readonly name?: string;
  readonly deviceIds?: readonly string[];
}

/** The server's VAPID public key (RFC 8292 section 3.2): an uncompressed P-256 point in base64url. */
export interface WebPushKey {
  readonly publicKey: string;
}
