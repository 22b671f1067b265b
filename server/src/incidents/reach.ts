import type { Context } from "#context.ts";
import { findRecordedDeliveries } from "#notifications/log/store.ts";
import type { Incident } from "./incident.ts";
import { listStepPushes } from "./store/events.ts";

/**
 * Returns whether the latest step of an incident reached somebody: `pending` while nobody is reached and a device is
 * still tried.
 */
export async function getReach(
  context: Context,
  incident: Pick<Incident, "id" | "step">,
): Promise<"somebody" | "nobody" | "pending"> {
  const { notificationIds, hasMail } = await listStepPushes(context, incident);
  if (hasMail) return "somebody";
  const { endedCounts, unfinishedIds } = await findRecordedDeliveries(context, notificationIds);
  const hasAccepted = [...endedCounts.values()].some(({ accepted }) => (accepted ?? 0) > 0);
  if (hasAccepted) return "somebody";
  return unfinishedIds.size > 0 ? "pending" : "nobody";
}
