import type { Priority } from "@tocsin/sdk";

/** Returns a priority if it is one of the two that the feed and the delivery log emphasise; null for any other. */
export function getUrgentPriority(priority: Priority): "high" | "emergency" | null {
  return priority === "high" || priority === "emergency" ? priority : null;
}
