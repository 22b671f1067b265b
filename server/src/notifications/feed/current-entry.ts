import type { Context } from "#context.ts";
import { listIncidentLineIds } from "./acting-states/store.ts";
import { findEntry, type FeedEntry, type ReaderEntry } from "./store.ts";

/**
 * Returns one entry that the person may see; null if there is none. An incident has one line in a feed, so a push may
 * name a notification that a newer one has replaced: its entry is then the incident's current line.
 */
export async function findCurrentEntry(
  context: Context,
  query: ReaderEntry,
): Promise<FeedEntry | null> {
  const entry = await findEntry(context, query);
  if (entry !== null) return entry;
  const audienceIds = [...new Set(query.windows.map(({ audienceId }) => audienceId))];
  const lines = { notificationId: query.id, audienceIds };
  for (const id of await listIncidentLineIds(context, lines)) {
    const line = await findEntry(context, { ...query, id });
    if (line !== null) return line;
  }
  return null;
}
