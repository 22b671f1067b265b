import type { ServerResponse } from "node:http";
import { Type } from "typebox";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import type { Authenticate } from "#http/authenticate.ts";
import type { Server } from "#http/server.ts";
import { feedItem } from "../feed/feed.ts";
import { listFeed } from "../feed/store.ts";
import { windowsOf, type Stay } from "../feed/windows.ts";
import type { HubEvent, LiveHub } from "./hub.ts";

export interface LiveRouteParts {
  readonly context: Context;
  readonly authenticate: Authenticate;
  readonly hub: LiveHub;
  readonly staysOf: (accountId: string) => Promise<readonly Stay[]>;
}

/** Proxies close streams that are silent for a minute. */
const HEARTBEAT_MS = 25_000;
/** A reader that falls this far behind is let go; it comes back with its last event id. */
const BACKLOG_MAX_BYTES = 256 * 1024;
/** A stream that this process does not know gets at most so many notifications that it missed. */
const CATCH_UP_MAX = 200;
/** Events are told shortly after the notification's id was made. */
const CATCH_UP_MARGIN_MS = 10_000;

/** Registers the live stream, as Server-Sent Events (HTML standard, section 9.2). */
export function registerLiveRoutes(server: Server, parts: LiveRouteParts): void {
  const open = new Set<ServerResponse>();
  server.addHook("preClose", async () => {
    for (const stream of open) stream.end();
  });
  server.get(
    "/api/app/v1/live",
    {
      schema: {
        operationId: "live",
        summary: "Events as they happen: notification, delivery, device",
        description: "Server-Sent Events; resumes after the event named by Last-Event-ID.",
        tags: ["Live"],
        produces: ["text/event-stream"],
        headers: Type.Object({ "last-event-id": Type.Optional(Type.String()) }),
      },
    },
    async (request, reply) => {
      const { accountId } = await parts.authenticate(request);
      const stream = reply.raw;
      // What happens while we look for what was missed waits here.
      let waiting: HubEvent[] | null = [];
      const close = parts.hub.open(accountId, (event) => {
        if (waiting === null) write(stream, format(event));
        else waiting.push(event);
      });
      if (close === null) throw new AppError("rate_limited", "Too many live streams are open.");
      const lastId = request.headers["last-event-id"];
      const missed = await missedEvents(parts, accountId, lastId).catch((error: unknown) => {
        close();
        throw error;
      });
      const known = new Set(missed.map(({ id }) => id));
      const backlog = [...missed, ...waiting.filter(({ id }) => !known.has(id))];
      waiting = null;
      reply.hijack();
      stream.writeHead(200, { ...reply.getHeaders(), ...STREAM_HEADERS } as Record<string, string>);
      open.add(stream);
      write(stream, `retry: 2000\n\n${backlog.map(format).join("")}`);
      const heartbeat = setInterval(() => write(stream, ": still here\n\n"), HEARTBEAT_MS);
      stream.once("close", () => {
        clearInterval(heartbeat);
        open.delete(stream);
        close();
      });
    },
  );
}

const STREAM_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  // nginx passes events on at once when told so.
  "x-accel-buffering": "no",
} as const;

function format({ id, kind, data }: HubEvent): string {
  return `id: ${id}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`;
}

function write(stream: ServerResponse, text: string): void {
  if (stream.destroyed || stream.writableEnded) return;
  stream.write(text);
  if (stream.writableLength > BACKLOG_MAX_BYTES) stream.destroy();
}

/** What the stream missed: this process's own events, or after a restart the feed since then. */
async function missedEvents(
  { context, hub, staysOf }: LiveRouteParts,
  accountId: string,
  lastId: string | undefined,
): Promise<readonly HubEvent[]> {
  if (lastId === undefined || !/^[0-9a-f-]{36}$/.test(lastId)) return [];
  const known = hub.since(accountId, lastId);
  if (known !== null) return known;
  const entries = await listFeed(context, {
    accountId,
    windows: windowsOf(accountId, await staysOf(accountId)),
    channel: null,
    isUnreadOnly: false,
    after: null,
    limit: CATCH_UP_MAX,
  });
  const since = timeOf(lastId) - CATCH_UP_MARGIN_MS;
  return entries
    .filter(({ notification }) => notification.createdAt > since)
    .toReversed()
    .map(({ notification, readAt }) => ({
      id: notification.id,
      kind: "notification" as const,
      data: feedItem(notification, readAt),
      accountIds: new Set([accountId]),
    }));
}

/** The first 48 bits of our ids are the time in milliseconds (RFC 9562 section 5.7). */
function timeOf(id: string): number {
  return Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16);
}
