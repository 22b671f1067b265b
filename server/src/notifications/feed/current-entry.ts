import type { Context } from "#context.ts";
import { listActingLineIds } from "./acting-states/store.ts";
import { findEntry, type FeedEntry, type ReaderEntry } from "./store.ts";

/**
 * Returns the entry of a notification in the person's feed; null if there is none. A feed has only one line for an
 * incident or a prompt. For another push of it, such as a ring, returns the current line.
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
