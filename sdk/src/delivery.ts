import type { PageQuery, Timestamp } from "./page.ts";
import type { ProviderName } from "./provider.ts";

/** The states of a delivery, unfinished ones first. */
export const DELIVERY_STATES = [
  "queued",
  "retrying",
  "held",
  "accepted",
  "gone",
  "rejected",
  "expired",
  "failed",
  "cancelled",
  "skipped",
] as const;

/** The state of one notification's delivery to one device. */
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** The groups of delivery states that a search can select. */
export const DELIVERY_STATE_GROUPS = {
  waiting: ["queued", "retrying", "held"],
  delivered: ["accepted"],
  failed: ["gone", "rejected", "expired", "failed"],
  skipped: ["cancelled", "skipped"],
} as const satisfies Readonly<Record<string, readonly DeliveryState[]>>;

/** A group of delivery states; `waiting` contains the unfinished ones. */
export type DeliveryStateGroup = keyof typeof DELIVERY_STATE_GROUPS;

/** The reasons for the state of a delivery or the outcome of an attempt. A newer server may send further codes. */
export const DELIVERY_CODES = [
  "queued",
  "accepted",
  "transient",
  "ambiguous",
  "suspect",
  "retrying",
  "unreachable",
  "rate_limited",
  "provider_misconfigured",
  "payload_too_large",
  "rejected",
  "endpoint_not_allowed",
  "subscription_key_changed",
  "device_invalid",
  "device_gone",
  "provider_not_configured",
  "paused",
  "expired",
  "gave_up",
  "crashed",
  "cancelled",
  "acknowledged",
  "resolved",
  "answered",
  "question_ended",
  "not_replaceable",
  "app_not_connected",
  "not_subscribed",
] as const;

/** The reason for the state of a delivery or the outcome of an attempt. */
export type DeliveryCode = (typeof DELIVERY_CODES)[number];

/**
 * The outcomes of an attempt; `held` if the push service was not called, because it is refusing or failing, or if a connected
 * app has not fetched the message yet.
 */
export const ATTEMPT_OUTCOMES = [
  "accepted",
  "gone",
  "rejected",
  "retry",
  "refused",
  "held",
] as const;

/** The outcome of an attempt. */
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

/** One attempt to hand a notification for one device to its push service. */
export interface DeliveryAttempt {
  /** 1 for the first; null if the push service was not called. */
  readonly attempt: number | null;
  readonly at: Timestamp;
  readonly outcome: AttemptOutcome;
  /** One of `DELIVERY_CODES`. */
  readonly code: string;
  /** The push service's response: its status and reason, or the id of the message; never a push address. */
  readonly answer: string | null;
  /** The planned time of the next attempt; null after the last. */
  readonly nextAttemptAt: Timestamp | null;
}

/** The team member who owns the device. */
export interface DeviceOwner {
  /** The member id, which identifies this person only in this team. */
  readonly accountId: string;
  readonly name: string;
}

/** One notification's delivery to one device, with its attempts. */
export interface DeliveryDetail extends Delivery {
  /**
   * The owner of the device, for managers of the team to which the notification was sent; null for the account's own
   * notifications.
   */
  readonly owner: DeviceOwner | null;
  /** The latest time of the next attempt; null if there is none or an attempt is running. */
  readonly nextAttemptAt: Timestamp | null;
  /** The attempts, in order. If there are many, some between the first and the last are omitted. */
  readonly attemptHistory: readonly DeliveryAttempt[];
  readonly attemptsLeftOut: number;
}

/** The query that selects deliveries of a notification. */
export interface DeliveriesQuery extends PageQuery {
  readonly state?: DeliveryStateGroup;
}

/**
 * The ways in which an app proves that it has a notification. `answered`: it answered a ping that followed the notification.
 * `written`: its connection took the bytes, which proves the least. `fetched`: the response to its request had the notification.
 * `resumed`: it connected again, and named this notification or a later one.
 */
export const APP_PROOFS = ["answered", "written", "fetched", "resumed"] as const;

/** A way in which an app proves that it has a notification. */
export type AppProof = (typeof APP_PROOFS)[number];

/** The proof that an app has a notification. */
export interface DeliveryProof {
  readonly how: AppProof;
  readonly at: Timestamp;
}

/** One notification's delivery to one device. */
export interface Delivery {
  readonly deviceId: string;
  readonly deviceName: string;
  readonly provider: ProviderName;
  readonly state: DeliveryState;
  /** The machine-readable reason for the state: one of `DELIVERY_CODES`; null if there is nothing to explain. */
  readonly code: string | null;
  /** The human-readable reason. */
  readonly message: string | null;
  /** The best proof so far, if the provider is `stream`; absent while there is none, and for push services. */
  readonly proof?: DeliveryProof;
  readonly attempts: number;
  readonly updatedAt: Timestamp;
}

/** The number of a notification's deliveries by state; every state is present. */
export type DeliveryCounts = Readonly<Record<DeliveryState, number>>;
