import { CAUSES, INCIDENT_STATES } from "@tocsin/sdk";
import { addDocumentedKeywords } from "#schema/documented-keywords.ts";
import { Type } from "#schema/json-schema.ts";
import type { Context } from "#context.ts";
import { AppError, invalidField } from "#errors.ts";
import type { Authenticate } from "#http/authenticate.ts";
import { toPage, PageQuery, toPageWithCursor, parsePage } from "#http/page.ts";
import { Nullable, PageResponse } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import { CONTENT_RESPONSE_PROPERTIES } from "#content/response.ts";
import { formatTimestamp } from "#schema/timestamp.ts";
import { loadFeedItem, loadFeedItems } from "./items.ts";
import { searchFeed } from "./search/store.ts";
import { parseWords } from "./search/words.ts";
import { findEntry, listChannels, listFeed } from "./store.ts";
import type { MembershipPeriod } from "#teams/store/teams.ts";
import { toFeedWindows } from "./windows.ts";

/** The dependencies of the feed routes. */
export interface FeedRouteDeps {
  readonly context: Context;
  readonly authenticate: Authenticate;
  /** Returns the account's membership periods, including past ones. */
  readonly listMembershipPeriods: (accountId: string) => Promise<readonly MembershipPeriod[]>;
}

const ChannelSchema = Type.String({ pattern: "^[A-Za-z0-9-]{0,64}$" });

/** The schema of a notification in the caller's feed. */
export const FeedItemSchema = Type.Object({
  id: Type.String(),
  ...CONTENT_RESPONSE_PROPERTIES,
  teamId: Nullable(Type.String()),
  teamName: Nullable(Type.String()),
  keyLabel: Nullable(Type.String()),
  createdAt: Type.String(),
  readAt: Nullable(Type.String()),
  incidentId: Nullable(Type.String()),
  cause: Nullable(Type.Enum([...CAUSES])),
  incidentState: Nullable(Type.Enum([...INCIDENT_STATES])),
});

/** Registers the operations that read the feed and its channels. */
export function registerFeedRoutes(server: Server, deps: FeedRouteDeps): void {
  registerListRoute(server, deps);
  registerEntryRoute(server, deps);
  registerChannelsRoute(server, deps);
}

function registerListRoute(
  server: Server,
  { context, authenticate, listMembershipPeriods }: FeedRouteDeps,
): void {
  server.get(
    "/api/app/v1/feed",
    {
      schema: {
        operationId: "listFeed",
        summary: "List the notifications in my feed, newest first",
        tags: ["Feed"],
        querystring: Type.Object({
          ...PageQuery.properties,
          channel: Type.Optional(ChannelSchema),
          unread: createFlagSchema("true shows only unread ones."),
          timeSensitive: createFlagSchema(TIME_SENSITIVE_DESCRIPTION),
          q: Type.Optional(Type.String({ description: SEARCH_DESCRIPTION })),
        }),
        response: {
          200: PageResponse(FeedItemSchema),
        },
      },
    },
    async (request) => {
      const { accountId } = await authenticate(request);
      const { limit, after } = parsePage(request.query);
      const words = parseWords(request.query.q ?? "");
      const isTimeSensitiveOnly = parseFlag("timeSensitive", request.query.timeSensitive ?? "");
      const filter = {
        accountId,
        windows: toFeedWindows(accountId, await listMembershipPeriods(accountId)),
        channel: emptyToNull(request.query.channel ?? ""),
        isUnreadOnly: parseFlag("unread", request.query.unread ?? ""),
        after,
      };
      if (words.length === 0 && !isTimeSensitiveOnly) {
        const entries = await listFeed(context, { ...filter, limit: limit + 1 });
        return toPage(await loadFeedItems(context, entries), limit);
      }
      const result = await searchFeed(context, { ...filter, limit, words, isTimeSensitiveOnly });
      return toPageWithCursor(await loadFeedItems(context, result.entries), result.nextAfter);
    },
  );
}

function registerEntryRoute(
  server: Server,
  { context, authenticate, listMembershipPeriods }: FeedRouteDeps,
): void {
  server.get(
    "/api/app/v1/feed/:id",
    {
      schema: {
        operationId: "getFeedItem",
        summary: "Show one notification in my feed",
        tags: ["Feed"],
        params: Type.Object({ id: Type.String() }),
        response: { 200: FeedItemSchema },
      },
    },
    async (request) => {
      const { accountId } = await authenticate(request);
      const windows = toFeedWindows(accountId, await listMembershipPeriods(accountId));
      const entry = await findEntry(context, { accountId, windows, id: request.params.id });
      if (entry === null) throw createNotInFeedError();
      return loadFeedItem(context, entry);
    },
  );
}

function registerChannelsRoute(
  server: Server,
  { context, authenticate, listMembershipPeriods }: FeedRouteDeps,
): void {
  server.get(
    "/api/app/v1/channels",
    {
      schema: {
        operationId: "listChannels",
        summary: "List the channels of my feed",
        tags: ["Feed"],
        response: {
          200: Type.Object({
            items: Type.Array(
              Type.Object({
                name: Type.String(),
                unread: Type.Integer(),
                total: Type.Integer(),
                lastAt: Type.String(),
              }),
            ),
          }),
        },
      },
    },
    async (request) => {
      const { accountId } = await authenticate(request);
      const windows = toFeedWindows(accountId, await listMembershipPeriods(accountId));
      const channels = await listChannels(context, { accountId, windows });
      return {
        items: channels.map((channel) => ({ ...channel, lastAt: formatTimestamp(channel.lastAt) })),
      };
    },
  );
}

/** Returns the schema of a boolean parameter, with the same spellings as in the query of a send. */
function createFlagSchema(description: string) {
  return Type.Optional(
    addDocumentedKeywords(Type.String({ description }), {
      pattern: "^(?:[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee]|1|0)?$",
    }),
  );
}

const TIME_SENSITIVE_DESCRIPTION =
  "true shows only time-sensitive ones; pages are those of a search.";

const SEARCH_DESCRIPTION =
  "Words that must all occur in title or body, in any letter case: at most 8 words and 200 characters. One request searches up to 20,000 notifications for up to 0.2 seconds, so a page may have few items or none and still have a `nextCursor`.";

/** Returns the error for an entry that is not, or no longer, in the caller's feed. */
export function createNotInFeedError(): AppError {
  return new AppError("not_found", "There is no such notification in your feed.");
}

/** Parses a boolean by the same rule as the query of a send. */
function parseFlag(name: string, value: string): boolean {
  const parsed = FLAG_VALUES.get(value.toLowerCase());
  if (parsed === undefined) throw invalidField(name, `${name} must be true or false.`);
  return parsed;
}

const FLAG_VALUES: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
  ["", false],
]);

/** Returns null for an empty parameter. */
function emptyToNull(text: string): string | null {
  return text === "" ? null : text;
}
