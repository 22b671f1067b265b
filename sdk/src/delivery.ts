import type { PageQuery, Timestamp } from "./page.ts";
import type { ProviderName } from "./provider.ts";

/** The states of a delivery, those that may still change first. */
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

/** The state of one notification on its way to one device. */
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** What became of a notification, as one looks for it: each is several states. */
export const DELIVERY_FATES = {
  waiting: ["queued", "retrying", "held"],
  delivered: ["accepted"],
  failed: ["gone", "rejected", "expired", "failed"],
  skipped: ["cancelled", "skipped"],
} as const satisfies Readonly<Record<string, readonly DeliveryState[]>>;

/** One of the ends that a delivery may come to, or that it is still under way. */
export type DeliveryFate = keyof typeof DELIVERY_FATES;

/** Why a delivery, or one attempt at it, stands where it does. A newer server may know more of them. */
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

/** Why a delivery, or one attempt at it, stands where it does. */
export type DeliveryCode = (typeof DELIVERY_CODES)[number];

/** What one attempt came to; `held` where the push service was not even asked, because it refuses or fails. */
export const ATTEMPT_OUTCOMES = [
  "accepted",
  "gone",
  "rejected",
  "retry",
  "refused",
  "held",
] as const;

/** What one attempt came to. */
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

/** One attempt to hand a notification over for one device. */
export interface DeliveryAttempt {
  /** 1 for the first; null where the push service was not asked. */
  readonly attempt: number | null;
  readonly at: Timestamp;
  readonly outcome: AttemptOutcome;
  /** One of `DELIVERY_CODES`. */
  readonly code: string;
  /** What the push service answered: its status and reason, or the id it gave the message; never an address. */
  readonly answer: string | null;
  /** When the next attempt was to follow; null after the last. */
  readonly nextAttemptAt: Timestamp | null;
}

/** A member of a team whose device it is. */
export interface DeviceOwner {
  /** The member id, which names this person in this team alone. */
  readonly accountId: string;
  readonly name: string;
}

/** One notification on its way to one device, with all that was tried. */
export interface DeliveryDetail extends Delivery {
  /** Whose device it is, for those who manage the team that it was for; null for one's own notifications. */
  readonly owner: DeviceOwner | null;
  /** When it is tried again, at the latest; null where it is not, or is just being tried. */
  readonly nextAttemptAt: Timestamp | null;
  /** What was tried, in its order; of many attempts, some between the first and the last are left out. */
  readonly attemptHistory: readonly DeliveryAttempt[];
  readonly attemptsLeftOut: number;
}

/** Which deliveries of a notification. */
export interface DeliveriesQuery extends PageQuery {
  readonly state?: DeliveryFate;
}

/** One notification on its way to one device. */
export interface Delivery {
  readonly deviceId: string;
  readonly deviceName: string;
  readonly provider: ProviderName;
  readonly state: DeliveryState;
  /** Why it is in this state, for programs: one of `DELIVERY_CODES`; null where there is nothing to explain. */
  readonly code: string | null;
  /** The same for people. */
  readonly message: string | null;
  readonly attempts: number;
  readonly updatedAt: Timestamp;
}

/** How many deliveries of a notification are in each state; every state is present. */
export type DeliveryCounts = Readonly<Record<DeliveryState, number>>;
