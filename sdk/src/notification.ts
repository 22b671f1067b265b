import type { Delivery, DeliveryCounts } from "./delivery.ts";
import type { Timestamp } from "./page.ts";

/** Every sound a notification may name. */
export const SOUNDS = [
  "default",
  "arcade",
  "correct",
  "fail",
  "harp",
  "reveal",
  "bubble",
  "doorbell",
  "flute",
  "money",
  "scifi",
  "clear",
  "elevator",
  "guitar",
  "pop",
] as const;

/** The name of a sound. */
export type Sound = (typeof SOUNDS)[number];

/** The channel of a notification that names none. */
export const DEFAULT_CHANNEL = "feed";

/** The body of a send request; `null` and `""` in an optional field mean "not given". */
export interface Notification {
  /** At most 1,024 characters; may be `""` when `body` is not. */
  readonly title: string;
  /** At most 32,768 characters; may be `""` when `title` is not. */
  readonly body: string;
  readonly sound?: Sound | "" | null;
  /** 1 to 64 letters, digits and hyphens; `feed` when not given. */
  readonly channel?: string | null;
  /** An absolute URL of at most 2,048 characters, without user info. */
  readonly link?: string | null;
  /** An absolute `https:` or `http:` URL of at most 2,048 characters; the devices fetch it, the server never does. */
  readonly image?: string | null;
  /** Breaks through do-not-disturb (iOS); false when not given. */
  readonly timeSensitive?: boolean | null;
}

/** What became of a send on one device. */
export interface DeviceResult {
  readonly success: boolean;
  readonly message: string;
}

/**
 * The answer to a synchronous send: one element of `responses` per device.
 * A message that begins with `Queued` is still being tried; it must not be sent again.
 */
export interface SendResult {
  readonly success: boolean;
  readonly message: string;
  readonly responses: readonly DeviceResult[];
}

/** The answer to an asynchronous send: the notification is stored and will be sent. */
export interface AsyncSendResult {
  readonly success: boolean;
  readonly message: string;
}

/** An answer to a send with the id of its notification, null where the answer named none. */
export type WithNotificationId<Result> = Result & { readonly notificationId: string | null };

/** A notification that one of my keys sent, and what became of it. */
export interface NotificationRecord {
  readonly id: string;
  readonly title: string;
  readonly body: string;
  readonly channel: string;
  readonly sound: Sound | null;
  readonly link: string | null;
  readonly image: string | null;
  readonly timeSensitive: boolean;
  /** The team whose key sent it; null for an account key. */
  readonly teamId: string | null;
  readonly createdAt: Timestamp;
  readonly deliveries: readonly Delivery[];
  readonly counts: DeliveryCounts;
}
