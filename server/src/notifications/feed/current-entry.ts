import type { Context } from "#context.ts";
import { listInteractionEntryIds } from "./interaction-states/store.ts";
import { findEntry, type FeedEntry, type ReaderEntry } from "./store.ts";

/**
 * Returns the entry of a notification in the person's feed; null if there is none. A feed has only one entry for an
 * incident or a prompt. For another push of the incident or prompt, such as a ring, returns this entry.
 */
export async function findCurrentEntry(
  context: Context,
  query: ReaderEntry,
): Promise<FeedEntry | null> {
  const entry = await findEntry(context, query);
  if (entry !== null) return entry;
  const audienceIds = [...new Set(query.windows.map(({ audienceId }) => audienceId))];
  const entryQuery = { notificationId: query.id, audienceIds };
  for (const id of await listInteractionEntryIds(context, entryQuery)) {
    const currentEntry = await findEntry(context, { ...query, id });
    if (currentEntry !== null) return currentEntry;
  }
  return null;
}
