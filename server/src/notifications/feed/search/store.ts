import type { Context } from "#context.ts";
import { listMarks, withNotifications, type FeedEntry, type FeedFilter } from "../store.ts";

/** Entries per statement, so that a search does not hold up the statements of others. */
const CHUNK_MAX = 1_000;
/** Entries that one request examines; the next page continues below them. */
const LOOKED_AT_MAX = 20_000;
/** Long texts take longer: after this time, a request begins no further chunk. */
const LOOK_MAX_MS = 200;

export interface FeedSearchInput extends FeedFilter {
  /** Words that title or body must contain, all of them. */
  readonly words: readonly string[];
  readonly isTimeSensitiveOnly: boolean;
}

/** The result of a search, newest first. */
export interface FeedSearchResult {
  readonly entries: readonly FeedEntry[];
  /** The id below which the next search continues; null at the end of the feed. */
  readonly after: string | null;
}

/**
 * Returns the newest entries with all words in title or body, in any letter case, or those of them that are time-sensitive.
 * It may return fewer than requested, or none, after 20,000 entries or 200 ms: `after` says where the next search continues.
 */
export async function searchFeed(
  context: Context,
  input: FeedSearchInput,
): Promise<FeedSearchResult> {
  const { database, elapsed } = context;
  const begunAt = elapsed();
  const entries: FeedEntry[] = [];
  let after = input.after;
  for (let lookedAt = 0; lookedAt < LOOKED_AT_MAX; lookedAt += CHUNK_MAX) {
    const chunk = await listMarks(database, { ...input, after, limit: CHUNK_MAX });
    const ids = chunk.map((mark) => mark.notification_id);
    const wanted = await wantedOf(context, { ...input, ids });
    const room = input.limit - entries.length;
    const marks = chunk.filter((mark) => wanted.has(mark.notification_id));
    entries.push(...(await withNotifications(database.db, marks.slice(0, room))));
    if (marks.length >= room) return { entries, after: marks[room - 1]?.notification_id ?? null };
    if (chunk.length < CHUNK_MAX) return { entries, after: null };
    after = chunk.at(-1)?.notification_id ?? null;
    if (elapsed() - begunAt > LOOK_MAX_MS) break;
  }
  return { entries, after };
}

type Wanted = Pick<FeedSearchInput, "words" | "isTimeSensitiveOnly"> & {
  readonly ids: readonly string[];
};

async function wantedOf(
  { database: { db, engine } }: Context,
  { ids, words, isTimeSensitiveOnly }: Wanted,
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  let query = db.selectFrom("notification").select("id").where("id", "in", ids);
  if (isTimeSensitiveOnly) query = query.where("time_sensitive", "=", 1);
  for (const word of words) {
    query = query.where((of) =>
      of.or([engine.contains(of.ref("title"), word), engine.contains(of.ref("body"), word)]),
    );
  }
  return new Set((await query.execute()).map(({ id }) => id));
}
