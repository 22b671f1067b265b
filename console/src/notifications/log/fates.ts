import {
  DELIVERY_FATES,
  type Delivery,
  type DeliveryCounts,
  type DeliveryFate,
  type DeliveryState,
} from "@tocsin/sdk";

/** Number of deliveries with an outcome. */
export interface FateCount {
  readonly fate: DeliveryFate;
  readonly count: number;
}

const ORDER: readonly DeliveryFate[] = ["delivered", "waiting", "failed", "skipped"];

/**
 * Returns the number of deliveries with each outcome, in the order in which they are shown; every outcome is present.
 */
export function fateCounts(counts: DeliveryCounts): readonly FateCount[] {
  return ORDER.map((fate) => {
    const states = DELIVERY_FATES[fate];
    return { fate, count: states.reduce((sum, state) => sum + counts[state], 0) };
  });
}

/** Returns the number of devices that a notification was for. */
export function totalOf(counts: DeliveryCounts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

const FAILED: ReadonlySet<DeliveryState> = new Set(DELIVERY_FATES.failed);
const WAITING: ReadonlySet<DeliveryState> = new Set(DELIVERY_FATES.waiting);

/** Returns whether a delivery failed for good. */
export function hasFailed({ state }: Pick<Delivery, "state">): boolean {
  return FAILED.has(state);
}

/** Returns whether a delivery may still change. */
export function isWaiting({ state }: Pick<Delivery, "state">): boolean {
  return WAITING.has(state);
}
