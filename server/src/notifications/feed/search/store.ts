import type { Context } from "#context.ts";
import {
  listEntryMarks,
  loadMarkedNotifications,
  type FeedEntry,
  type FeedFilter,
} from "../store.ts";

/** Entries per statement, so that a search does not block other statements for long. */
const ENTRIES_PER_STATEMENT_MAX = 1_000;
/** Entries that one request examines; the next page continues after them. */
const EXAMINED_ENTRIES_MAX = 20_000;
/** Long texts take longer: after this time, a request starts no further chunk. */
const SEARCH_MAX_MS = 200;

/** A search of one person's feed. */
export interface FeedSearchInput extends FeedFilter {
  /** The title or the body must contain each of these words. */
  readonly words: readonly string[];
  readonly isTimeSensitiveOnly: boolean;
}

/** The result of a search, newest first. */
export interface FeedSearchResult {
  readonly entries: readonly FeedEntry[];
  /** The id after which the next search continues, towards older entries; null at the end of the feed. */
  readonly nextAfter: string | null;
}

/**
 * Returns the newest entries with all words in title or body, in any letter case, optionally only time-sensitive
 * ones. After 20,000 entries or 200 ms it may return fewer than requested, or none; the next search continues at
 * `nextAfter`.
 */
export async function searchFeed(
  context: Context,
  input: FeedSearchInput,
): Promise<FeedSearchResult> {
  const { database, elapsed } = context;
  const startedAt = elapsed();
  const entries: FeedEntry[] = [];
  let after = input.after;
  for (let examined = 0; examined < EXAMINED_ENTRIES_MAX; examined += ENTRIES_PER_STATEMENT_MAX) {
    const chunk = await listEntryMarks(database, {
      ...input,
      after,
      limit: ENTRIES_PER_STATEMENT_MAX,
    });
    const ids = chunk.map((mark) => mark.notification_id);
    const matches = await findMatches(context, { ...input, ids });
    const remaining = input.limit - entries.length;
    const marks = chunk.filter((mark) => matches.has(mark.notification_id));
    entries.push(...(await loadMarkedNotifications(database.db, marks.slice(0, remaining))));
    if (marks.length >= remaining)
      return { entries, nextAfter: marks[remaining - 1]?.notification_id ?? null };
    if (chunk.length < ENTRIES_PER_STATEMENT_MAX) return { entries, nextAfter: null };
    after = chunk.at(-1)?.notification_id ?? null;
    if (elapsed() - startedAt > SEARCH_MAX_MS) break;
  }
  return { entries, nextAfter: after };
}

type MatchInput = Pick<FeedSearchInput, "words" | "isTimeSensitiveOnly"> & {
  readonly ids: readonly string[];
};

async function findMatches(
  { database: { db, engine } }: Context,
  { ids, words, isTimeSensitiveOnly }: MatchInput,
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  let query = db.selectFrom("notification").select("id").where("id", "in", ids);
  if (isTimeSensitiveOnly) query = query.where("time_sensitive", "=", 1);
  for (const word of words) {
    query = query.where((eb) =>
      eb.or([engine.contains(eb.ref("title"), word), engine.contains(eb.ref("body"), word)]),
    );
  }
  return new Set((await query.execute()).map(({ id }) => id));
}
