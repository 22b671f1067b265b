import { DELIVERY_FATES, type DeliveryCounts, type DeliveryFate } from "@tocsin/sdk";
import type { Cell } from "../table.ts";

/** Ordered by interest to the reader. */
const FATES: readonly DeliveryFate[] = ["delivered", "failed", "waiting", "skipped"];

/** Returns the result of a notification, such as `2 delivered, 1 failed`. */
export function resultOf(counts: DeliveryCounts): Cell {
  const numbers = FATES.map((fate) => ({ fate, count: countOf(counts, fate) }));
  const said = numbers.filter(({ count }) => count > 0);
  if (said.length === 0) return { text: "no devices", style: "dim" };
  const style = (["failed", "waiting"] as const).find((fate) => countOf(counts, fate) > 0);
  return {
    text: said.map(({ fate, count }) => `${count} ${fate}`).join(", "),
    style: style === undefined ? "green" : style === "failed" ? "red" : "yellow",
  };
}

/** Returns how many deliveries a notification has. */
export function totalOf(counts: DeliveryCounts): number {
  return FATES.reduce((sum, fate) => sum + countOf(counts, fate), 0);
}

function countOf(counts: DeliveryCounts, fate: DeliveryFate): number {
  return DELIVERY_FATES[fate].reduce((sum, state) => sum + counts[state], 0);
}
