import type { NotificationContent } from "./content.ts";
import type { Delivery, DeliveryCounts, DeliveryDetail, DeliveryFate } from "./delivery.ts";
import type { PageQuery, Timestamp } from "./page.ts";

/** The fields that a send need not have, as callers give them. */
type Optional = {
  readonly [
    Field in keyof Omit<NotificationContent, "title" | "body">
  ]?: NotificationContent[Field] extends boolean
    ? boolean | null
    : NotificationContent[Field] | "" | null;
};

/** The body of a send request; `null` and `""` in an optional field mean "not given". */
export interface Notification extends Pick<NotificationContent, "title" | "body">, Optional {}

/** The addressee of a person's send: all their own devices, one group or device of theirs, or a team that they manage. */
export type Addressee =
  | { readonly kind: "account" }
  | { readonly kind: "group"; readonly groupId: string }
  | { readonly kind: "device"; readonly deviceId: string }
  | { readonly kind: "team"; readonly teamId: string };

/** The body of a send without a key; goes to all of one's own devices if `to` is absent. */
export interface PersonalNotification extends Notification {
  readonly to?: Addressee;
}

/** The answer to a send without a key: it is stored, and delivery begins. */
export interface SentByPerson {
  readonly id: string;
  /** Null if there are more than 500. */
  readonly deviceCount: number | null;
}

/** The result of a send on one device. */
export interface DeviceResult {
  readonly success: boolean;
  readonly message: string;
}

/**
 * The answer to a synchronous send: one element of `responses` per device. A message that begins with `Queued` is still
 * being tried; do not send it again.
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

/** An answer to a send with the id of its notification, null if the answer has none. */
export type WithNotificationId<Result> = Result & { readonly notificationId: string | null };

/** A notification that one of my keys sent, with its results. */
export interface NotificationRecord extends NotificationContent {
  readonly id: string;
  /** The team whose key sent it; null for an account key. */
  readonly teamId: string | null;
  readonly createdAt: Timestamp;
  /** No attempt begins after this. */
  readonly expiresAt: Timestamp;
  readonly audience: NotificationAudience;
  /** The key that sent it; null if it was sent without one, such as a test of a device. */
  readonly key: SendingKey | null;
  /** Only the first; the counts include all. */
  readonly deliveries: readonly Delivery[];
  readonly counts: DeliveryCounts;
}

/** A notification that one of my keys sent, with the attempts to deliver it. */
export interface NotificationDetail extends NotificationRecord {
  readonly deliveries: readonly DeliveryDetail[];
}

/** The audience of a notification. */
export interface NotificationAudience {
  readonly kind: "account" | "team" | "group" | "device";
  readonly id: string;
  /** Null for an account, which is one's own, and for an audience that is gone. */
  readonly name: string | null;
}

/** A key as the delivery log names it, revoked or not. */
export interface SendingKey {
  readonly id: string;
  readonly label: string | null;
  /** The last four characters of the key; empty if no longer known. */
  readonly hint: string;
}

/** Selects sent notifications; absent fields match all. */
export interface NotificationsQuery extends PageQuery {
  /** Notifications with at least one such delivery. */
  readonly state?: DeliveryFate;
  readonly channel?: string;
  /** The id of a key, or `none` for those sent without one. */
  readonly key?: string;
  /** The id of a device; with `state`, its own delivery has that result. */
  readonly device?: string;
  /** The reason that a delivery ended as it did; with `state`, both apply to the same one. */
  readonly code?: string;
  /** Text in title or body, at most 100 characters. */
  readonly q?: string;
  /** At or after this moment. */
  readonly from?: Timestamp;
  /** Before this moment. */
  readonly to?: Timestamp;
}
