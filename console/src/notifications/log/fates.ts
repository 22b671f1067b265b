import { DELIVERY_FATES, type DeliveryCounts, type DeliveryFate } from "@tocsin/sdk";

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
