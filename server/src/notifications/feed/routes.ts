import { stated } from "#schema/stated.ts";
import { Type } from "#schema/json-schema.ts";
import type { Context } from "#context.ts";
import { AppError, invalidField } from "#errors.ts";
import type { Authenticate } from "#http/authenticate.ts";
import { pageOf, PageQuery, pageUpTo, parsePage } from "#http/page.ts";
import { Nullable, PageAnswer } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import { ANSWER_PROPERTIES } from "#content/answer.ts";
import { timestamp } from "#schema/moment.ts";
import { feedItem, feedItems } from "./items.ts";
import { searchFeed } from "./search/store.ts";
import { parseWords } from "./search/words.ts";
import { findEntry, listChannels, listFeed } from "./store.ts";
import type { Stay } from "#teams/store/teams.ts";
import { windowsOf } from "./windows.ts";

export interface FeedRouteDeps {
  readonly context: Context;
  readonly authenticate: Authenticate;
  /** Returns every stay of an account in a team, including past ones. */
  readonly staysOf: (accountId: string) => Promise<readonly Stay[]>;
}

const Channel = Type.String({ pattern: "^[A-Za-z0-9-]{0,64}$" });

export const FeedItemAnswer = Type.Object({
  id: Type.String(),
  ...ANSWER_PROPERTIES,
  teamId: Nullable(Type.String()),
  teamName: Nullable(Type.String()),
  keyLabel: Nullable(Type.String()),
  createdAt: Type.String(),
  readAt: Nullable(Type.String()),
});

/** Registers the operations that read: `/feed` and `/channels`. */
export function registerFeedRoutes(server: Server, deps: FeedRouteDeps): void {
  registerFeed(server, deps);
  registerFeedEntry(server, deps);
  registerChannels(server, deps);
}

function registerFeed(server: Server, { context, authenticate, staysOf }: FeedRouteDeps): void {
  server.get(
    "/api/app/v1/feed",
    {
      schema: {
        operationId: "listFeed",
        summary: "List the notifications in my feed, newest first",
        tags: ["Feed"],
        querystring: Type.Object({
          ...PageQuery.properties,
          channel: Type.Optional(Channel),
          unread: flag("true shows only unread ones."),
          timeSensitive: flag(TIME_SENSITIVE_DESCRIPTION),
          q: Type.Optional(Type.String({ description: SEARCH_DESCRIPTION })),
        }),
        response: {
          200: PageAnswer(FeedItemAnswer),
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
        windows: windowsOf(accountId, await staysOf(accountId)),
        channel: emptyToNull(request.query.channel ?? ""),
        isUnreadOnly: parseFlag("unread", request.query.unread ?? ""),
        after,
      };
      if (words.length === 0 && !isTimeSensitiveOnly) {
        const entries = await listFeed(context, { ...filter, limit: limit + 1 });
        return pageOf(await feedItems(context, entries), limit);
      }
      const found = await searchFeed(context, { ...filter, limit, words, isTimeSensitiveOnly });
      return pageUpTo(await feedItems(context, found.entries), found.after);
    },
  );
}

function registerFeedEntry(
  server: Server,
  { context, authenticate, staysOf }: FeedRouteDeps,
): void {
  server.get(
    "/api/app/v1/feed/:id",
    {
      schema: {
        operationId: "getFeedItem",
        summary: "Show one notification in my feed",
        tags: ["Feed"],
        params: Type.Object({ id: Type.String() }),
        response: { 200: FeedItemAnswer },
      },
    },
    async (request) => {
      const { accountId } = await authenticate(request);
      const windows = windowsOf(accountId, await staysOf(accountId));
      const entry = await findEntry(context, { accountId, windows, id: request.params.id });
      if (entry === null) throw notInFeed();
      return feedItem(context, entry);
    },
  );
}

function registerChannels(server: Server, { context, authenticate, staysOf }: FeedRouteDeps): void {
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
      const windows = windowsOf(accountId, await staysOf(accountId));
      const channels = await listChannels(context, { accountId, windows });
      return {
        items: channels.map((channel) => ({ ...channel, lastAt: timestamp(channel.lastAt) })),
      };
    },
  );
}

/** Returns the schema of a boolean parameter, with the same spellings as in the query of a send. */
function flag(description: string) {
  return Type.Optional(
    stated(Type.String({ description }), {
      pattern: "^(?:[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee]|1|0)?$",
    }),
  );
}

const TIME_SENSITIVE_DESCRIPTION =
  "true shows only time-sensitive ones; pages are those of a search.";

const SEARCH_DESCRIPTION =
  "Words that must all occur in title or body, in any letter case: at most 8 words and 200 characters. One request searches up to 20,000 notifications for up to 0.2 seconds, so a page may have few items or none and still have a `nextCursor`.";

/** Returns the error for an entry that is not, or no longer, in the caller's feed. */
export function notInFeed(): AppError {
  return new AppError("not_found", "There is no such notification in your feed.");
}

/** Parses a boolean by the same rule as the query of a send. */
function parseFlag(name: string, value: string): boolean {
  const parsed = FLAGS.get(value.toLowerCase());
  if (parsed === undefined) throw invalidField(name, `${name} must be true or false.`);
  return parsed;
}

const FLAGS: ReadonlyMap<string, boolean> = new Map([
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
