import { DELIVERY_FATES, type DeliveryCounts, type DeliveryFate } from "@tocsin/sdk";
import type { Cell } from "../table.ts";

/** The outcomes, in the order of display. */
const OUTCOMES: readonly DeliveryFate[] = ["delivered", "failed", "waiting", "skipped"];

/** Returns a cell with the result of a notification, such as `2 delivered, 1 failed`. */
export function toResultCell(counts: DeliveryCounts): Cell {
  const counted = OUTCOMES.map((outcome) => ({ outcome, count: sumFateCounts(counts, outcome) }));
  const nonZero = counted.filter(({ count }) => count > 0);
  if (nonZero.length === 0) return { text: "no devices", style: "dim" };
  const style = (["failed", "waiting"] as const).find(
    (outcome) => sumFateCounts(counts, outcome) > 0,
  );
  return {
    text: nonZero.map(({ outcome, count }) => `${count} ${outcome}`).join(", "),
    style: style === undefined ? "green" : style === "failed" ? "red" : "yellow",
  };
}

/** Returns the number of deliveries of a notification. */
export function sumCounts(counts: DeliveryCounts): number {
  return OUTCOMES.reduce((sum, outcome) => sum + sumFateCounts(counts, outcome), 0);
}

function sumFateCounts(counts: DeliveryCounts, outcome: DeliveryFate): number {
  return DELIVERY_FATES[outcome].reduce((sum, state) => sum + counts[state], 0);
}
