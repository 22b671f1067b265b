import type { Context } from "#context.ts";
import { loadRecords } from "#notifications/log/records.ts";
import { findNotifications } from "#notifications/log/store.ts";
import type { Incident } from "./incident.ts";
import { loadHistory, loadIncident } from "./response.ts";
import { listEarlierEntries } from "./store/events.ts";

/** Maximum number of deliveries per push in the detail of an incident. */
export const SHOWN_DELIVERIES_MAX = 100;
/** Maximum number of history entries in the detail of an incident. Each has at most one push. */
const SHOWN_ENTRIES_MAX = 100;

/**
 * Returns an incident with up to 100 entries of its history before the entry `before`, or its latest ones, the oldest
 * first; and the notifications that they pushed, the newest first. `earlierThan` is the id of the first of these
 * entries if there are earlier ones; otherwise null.
 */
export async function loadIncidentDetail(
  context: Context,
  { incident, before }: { readonly incident: Incident; readonly before: string | null },
) {
  const page = { incidentId: incident.id, before, limit: SHOWN_ENTRIES_MAX + 1 };
  const latestFirst = await listEarlierEntries(context, page);
  const entries = latestFirst.slice(0, SHOWN_ENTRIES_MAX).toReversed();
  const [oldest] = entries;
  const pushedIds = entries.flatMap(({ notificationId }) =>
    notificationId === null ? [] : [notificationId],
  );
  const [shownIncident, history, notifications] = await Promise.all([
    loadIncident(context, incident),
    loadHistory(context, entries),
    findNotifications(context, pushedIds),
  ]);
  const records = await loadRecords(context, notifications, SHOWN_DELIVERIES_MAX);
  const hasEarlier = latestFirst.length > SHOWN_ENTRIES_MAX && oldest !== undefined;
  const detail = { ...shownIncident, history, notifications: records };
  return { detail, earlierThan: hasEarlier ? oldest.id : null };
}
