import { DELIVERY_FATES, type DeliveryCounts, type DeliveryFate } from "@tocsin/sdk";
import type { Cell } from "../table.ts";

/** The fates of deliveries, in the order of display. */
const FATES: readonly DeliveryFate[] = ["delivered", "failed", "waiting", "skipped"];

/** Returns a cell with the result of a notification, such as `2 delivered, 1 failed`. */
export function toResultCell(counts: DeliveryCounts): Cell {
  const counted = FATES.map((fate) => ({ fate, count: sumFateCounts(counts, fate) }));
  const nonZero = counted.filter(({ count }) => count > 0);
  if (nonZero.length === 0) return { text: "no devices", style: "dim" };
  const style = (["failed", "waiting"] as const).find((fate) => sumFateCounts(counts, fate) > 0);
  return {
    text: nonZero.map(({ fate, count }) => `${count} ${fate}`).join(", "),
    style: style === undefined ? "green" : style === "failed" ? "red" : "yellow",
  };
}

/** Returns the number of deliveries of a notification. */
export function sumCounts(counts: DeliveryCounts): number {
  return FATES.reduce((sum, fate) => sum + sumFateCounts(counts, fate), 0);
}

function sumFateCounts(counts: DeliveryCounts, fate: DeliveryFate): number {
  return DELIVERY_FATES[fate].reduce((sum, state) => sum + counts[state], 0);
}
