import type { Context } from "#context.ts";
import { listActingLineIds } from "./acting-states/store.ts";
import { findEntry, type FeedEntry, type ReaderEntry } from "./store.ts";

/**
 * Returns one entry that the person may see; null if there is none. An incident or a prompt has one line in a feed, so a
 * push may name a notification that is not in it, such as a later ring: its entry is then the current line.
 */
export async function findCurrentEntry(
  context: Context,
  query: ReaderEntry,
): Promise<FeedEntry | null> {
  const entry = await findEntry(context, query);
  if (entry !== null) return entry;
  const audienceIds = [...new Set(query.windows.map(({ audienceId }) => audienceId))];
  const lines = { notificationId: query.id, audienceIds };
  for (const id of await listActingLineIds(context, lines)) {
    const line = await findEntry(context, { ...query, id });
    if (line !== null) return line;
  }
  return null;
}
