import { Type } from "typebox";
import type { Context } from "#context.ts";
import { invalidField } from "#errors.ts";
import type { Authenticate } from "#http/authenticate.ts";
import { pageOf, PageQuery, parsePage } from "#http/page.ts";
import type { Server } from "#http/server.ts";
import { feedItem, timestamp } from "./feed.ts";
import { listChannels, listFeed, markRead, type MarkReadInput } from "./store.ts";
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
const Nullable = (type: ReturnType<typeof Type.String>) => Type.Union([type, Type.Null()]);

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
          channel: Type.Optional(Type.String()),
          unread: Type.Optional(Type.String({ description: "true shows only unread ones." })),
        }),
        response: {
          200: Type.Object({
            items: Type.Array(FeedItemAnswer),
            nextCursor: Nullable(Type.String()),
          }),
        },
      },
    },
    async (request) => {
      const { accountId } = await authenticate(request);
      const { limit, after } = parsePage(request.query);
      const entries = await listFeed(context, {
        accountId,
        windows: windowsOf(accountId, await staysOf(accountId)),
        channel: request.query.channel ?? null,
        isUnreadOnly: parseFlag("unread", request.query.unread),
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
        tags: ["Feed"],
        body: Type.Object({
          ids: Type.Optional(Type.Array(Id, { maxItems: IDS_MAX })),
          upTo: Type.Optional(Id),
          channel: Type.Optional(Type.String()),
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

function parseFlag(name: string, value: string | undefined): boolean {
  if (value === undefined || value === "false" || value === "0") return false;
  if (value === "true" || value === "1" || value === "") return true;
  throw invalidField(name, `${name} must be true or false.`);
}

function parseMark(body: {
  ids?: string[];
  upTo?: string;
  channel?: string;
}): MarkReadInput["which"] {
  const { ids, upTo, channel } = body;
  if (ids !== undefined && upTo === undefined) return { ids };
  if (upTo !== undefined && ids === undefined) return { upTo, channel: channel ?? null };
  throw invalidField("ids", "Send either ids or upTo.");
}
