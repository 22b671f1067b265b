import type { InteractionReference, InteractionRequest } from "./interaction.ts";
import type { NotificationContent } from "./content.ts";
import type { Delivery, DeliveryCounts, DeliveryDetail, DeliveryStateGroup } from "./delivery.ts";
import type { PageQuery, Timestamp } from "./page.ts";

/** The fields that a send may omit, as callers write them. */
type OptionalContent = {
  readonly [
    Field in keyof Omit<NotificationContent, "title" | "body">
  ]?: NotificationContent[Field] extends boolean
    ? boolean | null
    : NotificationContent[Field] | "" | null;
};

/** The body of a send request; `null` and `""` in an optional field mean "not given". */
export interface Notification
  extends Pick<NotificationContent, "title" | "body">, OptionalContent, InteractionRequest {}

/** The addressee of a personal send: the account's devices, one of its groups or devices, or a team that it manages. */
export type Addressee =
  | { readonly kind: "account" }
  | { readonly kind: "group"; readonly groupId: string }
  | { readonly kind: "device"; readonly deviceId: string }
  | { readonly kind: "team"; readonly teamId: string };

/** The body of a send without a key; without `to`, it goes to all devices of the account. */
export interface PersonalNotification extends Notification {
  readonly to?: Addressee;
}

/** The response to a send without a key: the notification is stored, and its delivery begins. */
export interface PersonalSendResult {
  /** Null if the send acknowledges or resolves an incident and no open incident has its key: nothing is stored. */
  readonly id: string | null;
  /** Null for more than 500 devices. */
  readonly deviceCount: number | null;
  /** Present if the send names an incident. */
  readonly incidentId?: string;
  /** Present if the send asks somebody to act: a sentence about its effect, such as that it rings nobody. */
  readonly message?: string;
  /** Present if the notification is a prompt. */
  readonly promptId?: string;
}

/** The result of a send for one device; `message` explains it. */
export interface DeviceResult {
  readonly success: boolean;
  readonly message: string;
}

/**
 * The response to a synchronous send: one element of `responses` per device. If the message of an element begins with
 * `Queued`, the server is still trying that device; do not send again.
 */
export interface SendResult {
  readonly success: boolean;
  readonly message: string;
  readonly responses: readonly DeviceResult[];
  /** Present if the send names an incident. */
  readonly incidentId?: string;
  /** Present if the notification is a prompt. */
  readonly promptId?: string;
}

/** The response to an asynchronous send: the notification is stored and will be sent. */
export interface AsyncSendResult {
  readonly success: boolean;
  readonly message: string;
  /** Present if the send names an incident. */
  readonly incidentId?: string;
  /** Present if the notification is a prompt. */
  readonly promptId?: string;
}

/** The response to a send with the id of its notification; null if the response has none. */
export type WithNotificationId<Result> = Result & { readonly notificationId: string | null };

/** A notification that the account or one of its keys sent, with its results. */
export interface NotificationRecord extends NotificationContent, InteractionReference {
  readonly id: string;
  /** The team whose key sent it; null for an account key. */
  readonly teamId: string | null;
  readonly createdAt: Timestamp;
  /** No attempt begins after this time. */
  readonly expiresAt: Timestamp;
  readonly audience: NotificationAudience;
  /** The key that sent it; null if it was sent without a key, such as a test of a device. */
  readonly key: SendingKey | null;
  /** Only the first deliveries; `counts` includes all. */
  readonly deliveries: readonly Delivery[];
  readonly counts: DeliveryCounts;
}

/** A notification that the account or one of its keys sent, with its delivery attempts. */
export interface NotificationDetail extends NotificationRecord {
  readonly deliveries: readonly DeliveryDetail[];
}

/** The audience of a notification. */
export interface NotificationAudience {
  readonly kind: "account" | "team" | "group" | "device";
  readonly id: string;
  /** Null for an account, which is the caller's own, and for a deleted audience. */
  readonly name: string | null;
}

/** A key as the delivery log names it, even after it is revoked. */
export interface SendingKey {
  readonly id: string;
  readonly label: string | null;
  /** The last four characters of the key; empty if no longer known. */
  readonly hint: string;
}

/** The query that selects sent notifications; absent fields match all. */
export interface NotificationsQuery extends PageQuery {
  /** Finds notifications with at least one delivery of this result. */
  readonly state?: DeliveryStateGroup;
  readonly channel?: string;
  /** The id of a key, or `none` for notifications sent without a key. */
  readonly key?: string;
  /** The id of a device; with `state`, the delivery to this device has that result. */
  readonly device?: string;
  /** The reason for the state of a delivery; with `state`, both apply to the same delivery. */
  readonly code?: string;
  /** A string that title or body contains, at most 100 characters. */
  readonly q?: string;
  /** Only notifications at or after this time. */
  readonly from?: Timestamp;
  /** Only notifications before this time. */
  readonly to?: Timestamp;
}
