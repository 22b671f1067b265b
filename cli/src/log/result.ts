import { DELIVERY_STATE_GROUPS, type DeliveryCounts, type DeliveryStateGroup } from "@tocsin/sdk";
import type { Cell } from "../table.ts";

/** The groups of delivery states, in the order of display. */
const STATE_GROUPS: readonly DeliveryStateGroup[] = ["delivered", "failed", "waiting", "skipped"];

/** Returns a cell with the result of a notification, such as `2 delivered, 1 failed`. */
export function toResultCell(counts: DeliveryCounts): Cell {
  const groupCounts = STATE_GROUPS.map((group) => ({
    group,
    count: sumGroupCounts(counts, group),
  }));
  const nonZero = groupCounts.filter(({ count }) => count > 0);
  if (nonZero.length === 0) return { text: "no devices", style: "dim" };
  const style = (["failed", "waiting"] as const).find((group) => sumGroupCounts(counts, group) > 0);
  return {
    text: nonZero.map(({ group, count }) => `${count} ${group}`).join(", "),
    style: style === undefined ? "green" : style === "failed" ? "red" : "yellow",
  };
}

/** Returns the number of deliveries of a notification. */
export function sumCounts(counts: DeliveryCounts): number {
  return STATE_GROUPS.reduce((sum, group) => sum + sumGroupCounts(counts, group), 0);
}

function sumGroupCounts(counts: DeliveryCounts, group: DeliveryStateGroup): number {
  return DELIVERY_STATE_GROUPS[group].reduce((sum, state) => sum + counts[state], 0);
}
