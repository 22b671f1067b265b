import type { Timestamp } from "./page.ts";
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

/** One notification on its way to one device. */
export interface Delivery {
  readonly deviceId: string;
  readonly deviceName: string;
  readonly provider: ProviderName;
  readonly state: DeliveryState;
  /** Why it is in this state, for programs; null where there is nothing to explain. */
  readonly code: string | null;
  /** The same for people. */
  readonly message: string | null;
  readonly attempts: number;
  readonly updatedAt: Timestamp;
}

/** How many deliveries of a notification are in each state; every state is present. */
export type DeliveryCounts = Readonly<Record<DeliveryState, number>>;
