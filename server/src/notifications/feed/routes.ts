import { CAUSES, CHANNEL_PATTERN, INCIDENT_STATES, PROMPT_STATES } from "@tocsin/sdk";
import { addDocumentedKeywords } from "#schema/documented-keywords.ts";
import { Type } from "#schema/json-schema.ts";
import type { Context } from "#context.ts";
import { invalidField } from "#errors.ts";
import type { Authenticate } from "#http/authenticate.ts";
import { toPage, PageQuery, toPageWithCursor, parsePage } from "#http/page.ts";
import { Nullable, PageResponse } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import { CONTENT_RESPONSE_PROPERTIES } from "#content/response.ts";
import { formatTimestamp } from "#schema/timestamp.ts";
import { loadFeedItem, loadFeedItems } from "./items.ts";
import { createNotInFeedError } from "./not-in-feed-error.ts";
import { searchFeed } from "./search/store.ts";
import { parseSearchWords } from "./search/words.ts";
import { findCurrentEntry } from "./current-entry.ts";
import { listChannels, listFeed } from "./store.ts";
import type { MembershipPeriod } from "#teams/store/teams.ts";
import { toFeedWindows } from "./windows.ts";

/** The dependencies of the feed routes. */
export interface FeedRouteDeps {
  readonly context: Context;
  readonly authenticate: Authenticate;
  /** Returns the account's membership periods, including past ones. */
  readonly listMembershipPeriods: (accountId: string) => Promise<readonly MembershipPeriod[]>;
}

const ChannelSchema = Type.String({ pattern: `^$|${CHANNEL_PATTERN}` });

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
  promptId: Nullable(Type.String()),
  promptState: Nullable(Type.Enum([...PROMPT_STATES])),
});

/** Registers the operations that read the feed and its channels. */
export function registerFeedRoutes(server: Server, deps: FeedRouteDeps): void {
  registerListRoute(server, deps);
  registerItemRoute(server, deps);
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
          unread: createFlagSchema("If true, returns only unread notifications."),
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
      const words = parseSearchWords(request.query.q ?? "");
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

function registerItemRoute(
  server: Server,
  { context, authenticate, listMembershipPeriods }: FeedRouteDeps,
): void {
  server.get(
    "/api/app/v1/feed/:id",
    {
      schema: {
        operationId: "getFeedItem",
        summary: "Show one notification in my feed",
        description:
          "For a push of an incident or a prompt that has another entry in my feed, returns that entry, with its own `id`.",
        tags: ["Feed"],
        params: Type.Object({ id: Type.String() }),
        response: { 200: FeedItemSchema },
      },
    },
    async (request) => {
      const { accountId } = await authenticate(request);
      const windows = toFeedWindows(accountId, await listMembershipPeriods(accountId));
      const entry = await findCurrentEntry(context, { accountId, windows, id: request.params.id });
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

/** Returns the schema of a boolean parameter. It accepts the same spellings as the query of a send. */
function createFlagSchema(description: string) {
  return Type.Optional(
    addDocumentedKeywords(Type.String({ description }), {
      pattern: "^(?:[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee]|1|0)?$",
    }),
  );
}

const TIME_SENSITIVE_DESCRIPTION =
  "If true, returns only time-sensitive notifications. As in a search with `q`, a page may then have few items or none and still have a `nextCursor`.";

const SEARCH_DESCRIPTION =
  "At most 8 words, together at most 200 characters. Returns only notifications whose title or body contains all of them, in any letter case. One request searches up to 20,000 notifications for up to 0.2 seconds, so a page may have few items or none and still have a `nextCursor`.";

/** Parses a boolean as the query of a send does. Throws `invalid_field` for any other text. */
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
