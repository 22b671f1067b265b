import type { Context } from "#context.ts";
import { listMarks, withNotifications, type FeedEntry, type FeedFilter } from "../store.ts";

/** Entries of one statement: others' statements take turns with a search. */
const CHUNK_MAX = 1_000;
/** Entries that one request looks at; the next page goes on below them. */
const LOOKED_AT_MAX = 20_000;
/** Long texts may take longer: a request begins no further chunk after this. */
const LOOK_MAX_MS = 200;

export interface SearchInput extends FeedFilter {
  /** What title or body must contain, each of them. */
  readonly words: readonly string[];
  readonly isTimeSensitiveOnly: boolean;
}

/** What a search found, newest first. */
export interface Found {
  readonly entries: readonly FeedEntry[];
  /** Below which id it goes on; null where it saw the whole feed. */
  readonly after: string | null;
}

/**
 * Returns the newest entries with all words in title or body, in any letter case, or of those the time-sensitive. It may return fewer than asked,
 * none even, where it has looked at 20,000 entries or for 200 ms: `after` says where the next search goes on.
 */
export async function searchFeed(context: Context, input: SearchInput): Promise<Found> {
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

type Wanted = Pick<SearchInput, "words" | "isTimeSensitiveOnly"> & {
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
