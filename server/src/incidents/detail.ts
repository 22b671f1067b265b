import type { Context } from "#context.ts";
import { loadRecords } from "#notifications/log/records.ts";
import { findNotifications } from "#notifications/log/store.ts";
import type { Incident } from "./incident.ts";
import { loadHistory, loadIncident } from "./response.ts";
import { listEntries } from "./store/events.ts";

/** Maximum number of deliveries per push in the detail of an incident. */
export const SHOWN_DELIVERIES_MAX = 100;
/** Maximum number of pushes in the detail of an incident, the newest first. */
const SHOWN_PUSHES_MAX = 100;

/** Returns an incident with its history, and the results of its pushes, the newest first. */
export async function loadIncidentDetail(context: Context, incident: Incident) {
  const entries = await listEntries(context, incident.id);
  const pushedIds = entries.flatMap(({ notificationId }) =>
    notificationId === null ? [] : [notificationId],
  );
  const [shown, history, notifications] = await Promise.all([
    loadIncident(context, incident),
    loadHistory(context, entries),
    findNotifications(context, pushedIds.slice(-SHOWN_PUSHES_MAX)),
  ]);
  const records = await loadRecords(context, notifications, SHOWN_DELIVERIES_MAX);
  return { ...shown, history, notifications: records };
}
