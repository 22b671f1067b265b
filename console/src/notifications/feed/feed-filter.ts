import { CHANNEL_PATTERN, type FeedItem, type FeedQuery } from "@tocsin/sdk";

/** The filter of the feed. It is in the page's query, except for `timeSensitive`. */
export interface FeedFilter {
  readonly channel?: string;
  readonly unread?: true;
  readonly timeSensitive?: true;
  /** Search words. */
  readonly q?: string;
}

const SEARCH_LENGTH_MAX = 200;
const WORDS_MAX = 8;

/** Parses the filter from the page's query. Ignores invalid values. */
export function parseFeedFilter(search: Readonly<Record<string, unknown>>): FeedFilter {
  const channel = toQueryText(search["channel"]);
  const q = toSearchText(toQueryText(search["q"]));
  return {
    ...(new RegExp(CHANNEL_PATTERN).test(channel) && { channel }),
    ...((search["unread"] === true || search["unread"] === 1) && { unread: true }),
    ...(q !== "" && { q }),
  };
}

/** Returns a search text within the server's limits: at most 8 words and 200 characters. */
export function toSearchText(text: string): string {
  return splitWords(text.slice(0, SEARCH_LENGTH_MAX)).slice(0, WORDS_MAX).join(" ");
}

/** Splits a text into words. */
function splitWords(text: string): readonly string[] {
  return text.split(/\s+/u).filter((word) => word !== "");
}

/** Returns whether a notification matches the filter. The notification must have its complete text. */
export function matchesFilter(
  { channel, unread, timeSensitive, q = "" }: FeedFilter,
  item: FeedItem,
): boolean {
  if (channel !== undefined && item.channel !== channel) return false;
  if (unread === true && item.readAt !== null) return false;
  if (timeSensitive === true && !item.timeSensitive) return false;
  const title = normalize(item.title);
  const body = normalize(item.body);
  return splitWords(normalize(q)).every((word) => title.includes(word) || body.includes(word));
}

/** Returns the filter as a query for the server. */
export function toFeedQuery({ channel, unread, timeSensitive, q }: FeedFilter): FeedQuery {
  return {
    ...(channel !== undefined && { channel }),
    ...(unread === true && { unread }),
    ...(timeSensitive === true && { timeSensitive }),
    ...(q !== undefined && { q }),
  };
}

/** Returns whether the filter selects the whole feed. */
export function isUnfiltered({ channel, unread, timeSensitive, q }: FeedFilter): boolean {
  return channel === undefined && unread !== true && timeSensitive !== true && q === undefined;
}

/** Normalizes a text for comparison, like the server: server/src/database/fold-case.ts. */
function normalize(text: string): string {
  return text.normalize("NFC").toLowerCase();
}

/** Returns a query value as a string. The router parses `?channel=404` as a number. */
function toQueryText(value: unknown): string {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : "";
}
