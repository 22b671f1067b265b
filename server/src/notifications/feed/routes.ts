import { Type } from "typebox";
import type { Context } from "#context.ts";
import { invalidField } from "#errors.ts";
import type { Authenticate } from "#http/authenticate.ts";
import { pageOf, PageQuery, parsePage } from "#http/page.ts";
import { Nullable, PageAnswer } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import { feedItem, timestamp } from "./feed.ts";
import { markRead, type Which } from "./marks/store.ts";
import { listChannels, listFeed } from "./store.ts";
import { windowsOf, type Stay } from "./windows.ts";

export interface FeedRouteParts {
  readonly context: Context;
  readonly authenticate: Authenticate;
  /** Returns every stay of an account in a team, past ones included. */
  readonly staysOf: (accountId: string) => Promise<readonly Stay[]>;
}

/** A read mark names at most so many notifications at once. */
const IDS_MAX = 1_000;

const Id = Type.String({ pattern: "^[A-Za-z0-9_-]{1,64}$" });
const Channel = Type.String({ pattern: "^[A-Za-z0-9-]{0,64}$" });

export const FeedItemAnswer = Type.Object({
  id: Type.String(),
  title: Type.String(),
  body: Type.String(),
  channel: Type.String(),
  sound: Nullable(Type.String()),
  link: Nullable(Type.String()),
  image: Nullable(Type.String()),
  timeSensitive: Type.Boolean(),
  teamId: Nullable(Type.String()),
  createdAt: Type.String(),
  readAt: Nullable(Type.String()),
});

/** Registers what a person reads: `/feed`, `/feed/read` and `/channels`. */
export function registerFeedRoutes(server: Server, parts: FeedRouteParts): void {
  registerFeed(server, parts);
  registerMarkRead(server, parts);
  registerChannels(server, parts);
}

function registerFeed(server: Server, { context, authenticate, staysOf }: FeedRouteParts): void {
  server.get(
    "/api/app/v1/feed",
    {
      schema: {
        operationId: "listFeed",
        summary: "Notifications that reached me, newest first",
        tags: ["Feed"],
        querystring: Type.Object({
          ...PageQuery.properties,
          channel: Type.Optional(Channel),
          unread: Type.Optional(Type.String({ description: "true shows only unread ones." })),
        }),
        response: {
          200: PageAnswer(FeedItemAnswer),
        },
      },
    },
    async (request) => {
      const { accountId } = await authenticate(request);
      const { limit, after } = parsePage(request.query);
      const entries = await listFeed(context, {
        accountId,
        windows: windowsOf(accountId, await staysOf(accountId)),
        channel: given(request.query.channel ?? ""),
        isUnreadOnly: parseFlag("unread", request.query.unread ?? ""),
        after,
        limit: limit + 1,
      });
      const items = entries.map(({ notification, readAt }) => feedItem(notification, readAt));
      return pageOf(items, limit);
    },
  );
}

function registerMarkRead(
  server: Server,
  { context, authenticate, staysOf }: FeedRouteParts,
): void {
  server.post(
    "/api/app/v1/feed/read",
    {
      schema: {
        operationId: "markRead",
        summary: "Mark notifications as read, by ids or up to one of them",
        description:
          "Ids that are not in my feed are passed over; up to one of them, nothing is marked.",
        tags: ["Feed"],
        body: Type.Object({
          ids: Type.Optional(Type.Array(Id, { maxItems: IDS_MAX })),
          upTo: Type.Optional(Id),
          channel: Type.Optional(Channel),
        }),
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { accountId } = await authenticate(request);
      const windows = windowsOf(accountId, await staysOf(accountId));
      await markRead(context, { accountId, windows, which: parseMark(request.body) });
      return reply.code(204).send(null);
    },
  );
}

function registerChannels(
  server: Server,
  { context, authenticate, staysOf }: FeedRouteParts,
): void {
  server.get(
    "/api/app/v1/channels",
    {
      schema: {
        operationId: "listChannels",
        summary: "The channels of my feed",
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

/** The same rule as for the booleans in the query of a send. */
function parseFlag(name: string, value: string): boolean {
  const flag = FLAGS.get(value.toLowerCase());
  if (flag === undefined) throw invalidField(name, `${name} must be true or false.`);
  return flag;
}

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
  ["", false],
]);

/** What is empty was not given. */
function given(text: string): string | null {
  return text === "" ? null : text;
}

function parseMark(body: { ids?: string[]; upTo?: string; channel?: string }): Which {
  const { ids, upTo, channel = "" } = body;
  if (ids !== undefined && upTo === undefined) return { ids };
  if (upTo !== undefined && ids === undefined) return { upTo, channel: given(channel) };
  throw invalidField("ids", "Send either ids or upTo.");
}
