import type { FeedItem, FeedQuery } from "@tocsin/sdk";

/** The part of the feed that is shown. It is in the page's address, except for `timeSensitive`. */
export interface FeedFilter {
  readonly channel?: string;
  readonly unread?: true;
  readonly timeSensitive?: true;
  /** Words to search for. */
  readonly q?: string;
}

const SEARCH_LENGTH_MAX = 200;
const WORDS_MAX = 8;

/** Returns the filter in an address; invalid values are ignored. */
export function parseFeedFilter(search: Readonly<Record<string, unknown>>): FeedFilter {
  const [channel, q] = [textOf(search["channel"]), searchTextOf(textOf(search["q"]))];
  return {
    ...(/^[A-Za-z0-9-]{1,64}$/.test(channel) && { channel }),
    ...((search["unread"] === true || search["unread"] === 1) && { unread: true }),
    ...(q !== "" && { q }),
  };
}

/** Returns typed text as the server accepts it: at most 8 words and 200 characters. */
export function searchTextOf(typed: string): string {
  return wordsOf(typed.slice(0, SEARCH_LENGTH_MAX)).slice(0, WORDS_MAX).join(" ");
}

/** Returns the words of a search. */
function wordsOf(q: string): readonly string[] {
  return q.split(/\s+/u).filter((word) => word !== "");
}

/** Returns whether a complete notification belongs to the filtered part of the feed. */
export function isWithin(
  { channel, unread, timeSensitive, q = "" }: FeedFilter,
  item: FeedItem,
): boolean {
  if (channel !== undefined && item.channel !== channel) return false;
  if (unread === true && item.readAt !== null) return false;
  if (timeSensitive === true && !item.timeSensitive) return false;
  const [title, body] = [folded(item.title), folded(item.body)];
  return wordsOf(folded(q)).every((word) => title.includes(word) || body.includes(word));
}

/** Returns the filter as a query to the server. */
export function queryOf({ channel, unread, timeSensitive, q }: FeedFilter): FeedQuery {
  return {
    ...(channel !== undefined && { channel }),
    ...(unread === true && { unread }),
    ...(timeSensitive === true && { timeSensitive }),
    ...(q !== undefined && { q }),
  };
}

/** Returns whether the filter selects the whole feed. */
export function isEverything({ channel, unread, timeSensitive, q }: FeedFilter): boolean {
  return channel === undefined && unread !== true && timeSensitive !== true && q === undefined;
}

/** Compares as the server does: server/src/database/fold-case.ts. */
function folded(text: string): string {
  return text.normalize("NFC").toLowerCase();
}

/** The router parses `?channel=404` as a number. */
function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : "";
}
