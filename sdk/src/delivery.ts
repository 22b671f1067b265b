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

/** The results of a delivery to search by: each covers several states. */
export const DELIVERY_FATES = {
  waiting: ["queued", "retrying", "held"],
  delivered: ["accepted"],
  failed: ["gone", "rejected", "expired", "failed"],
  skipped: ["cancelled", "skipped"],
} as const satisfies Readonly<Record<string, readonly DeliveryState[]>>;

/** A result of a delivery, or that it is still under way. */
export type DeliveryFate = keyof typeof DELIVERY_FATES;

/** The reason for the state of a delivery or the outcome of an attempt. A newer server may send further codes. */
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
] as const;

/** The reason for the state of a delivery or the outcome of an attempt. */
export type DeliveryCode = (typeof DELIVERY_CODES)[number];

/** The outcomes of an attempt; `held` if the push service was not even called, because it refuses or fails. */
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

/** One attempt to hand over a notification for one device. */
export interface DeliveryAttempt {
  /** 1 for the first; null if the push service was not called. */
  readonly attempt: number | null;
  readonly at: Timestamp;
  readonly outcome: AttemptOutcome;
  /** One of `DELIVERY_CODES`. */
  readonly code: string;
  /** The push service's answer: its status and reason, or the id of the message; never an address. */
  readonly answer: string | null;
  /** The planned time of the next attempt; null after the last. */
  readonly nextAttemptAt: Timestamp | null;
}

/** The member of a team who owns the device. */
export interface DeviceOwner {
  /** The member id, which names this person only in this team. */
  readonly accountId: string;
  readonly name: string;
}

/** One notification's delivery to one device, with its attempts. */
export interface DeliveryDetail extends Delivery {
  /** The owner of the device, for managers of the team that it was sent to; null for one's own notifications. */
  readonly owner: DeviceOwner | null;
  /** The latest time of the next attempt; null if there is none, or one is running. */
  readonly nextAttemptAt: Timestamp | null;
  /** The attempts, in order; of many, some between the first and the last are left out. */
  readonly attemptHistory: readonly DeliveryAttempt[];
  readonly attemptsLeftOut: number;
}

/** Selects deliveries of a notification. */
export interface DeliveriesQuery extends PageQuery {
  readonly state?: DeliveryFate;
}

/** One notification's delivery to one device. */
export interface Delivery {
  readonly deviceId: string;
  readonly deviceName: string;
  readonly provider: ProviderName;
  readonly state: DeliveryState;
  /** The reason for the state, for programs: one of `DELIVERY_CODES`; null if there is nothing to explain. */
  readonly code: string | null;
  /** The same for people. */
  readonly message: string | null;
  readonly attempts: number;
  readonly updatedAt: Timestamp;
}

/** The number of a notification's deliveries by state; every state is present. */
export type DeliveryCounts = Readonly<Record<DeliveryState, number>>;
