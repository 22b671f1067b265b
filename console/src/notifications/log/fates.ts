import {
  DELIVERY_FATES,
  type Delivery,
  type DeliveryCounts,
  type DeliveryFate,
  type DeliveryState,
} from "@tocsin/sdk";

/** How many deliveries came to something, in the order in which they are shown. */
export interface FateCount {
  readonly fate: DeliveryFate;
  readonly count: number;
}

const ORDER: readonly DeliveryFate[] = ["delivered", "waiting", "failed", "skipped"];

/** Returns how many deliveries came to what; every one is present. */
export function fateCounts(counts: DeliveryCounts): readonly FateCount[] {
  return ORDER.map((fate) => {
    const states = DELIVERY_FATES[fate];
    return { fate, count: states.reduce((sum, state) => sum + counts[state], 0) };
  });
}

/** Returns for how many devices a notification was. */
export function totalOf(counts: DeliveryCounts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

const FAILED: ReadonlySet<DeliveryState> = new Set(DELIVERY_FATES.failed);
const WAITING: ReadonlySet<DeliveryState> = new Set(DELIVERY_FATES.waiting);

/** Returns whether a delivery did not arrive, and will not. */
export function hasFailed({ state }: Pick<Delivery, "state">): boolean {
  return FAILED.has(state);
}

/** Returns whether a delivery may still come to something else. */
export function isWaiting({ state }: Pick<Delivery, "state">): boolean {
  return WAITING.has(state);
}
