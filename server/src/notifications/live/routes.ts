import type { FastifyRequest } from "fastify";
import { Type } from "#json-schema.ts";
import { AppError } from "#errors.ts";
import type { Authenticate } from "#http/authenticate.ts";
import type { Server } from "#http/server.ts";
import { timeOf } from "#ids.ts";
import type { LiveHub } from "./hub.ts";
import { missedNotifications, type MissedParts } from "./missed.ts";
import { LiveStream } from "./stream.ts";

export interface LiveRouteParts extends MissedParts {
  readonly authenticate: Authenticate;
  readonly hub: LiveHub;
}

/** Proxies close streams that are silent for half a minute; an ended session is noticed as often. */
const HEARTBEAT_MS = 20_000;
const STOPPING_RETRY_MS = 1_000;
const TOO_MANY_RETRY_MS = 60_000;

/** Registers the live stream, as Server-Sent Events (HTML standard, section 9.2). */
export function registerLiveRoutes(server: Server, parts: LiveRouteParts): void {
  const { context, authenticate, hub } = parts;
  const streams = new Set<LiveStream>();
  let isStopping = false;
  server.addHook("preClose", async () => {
    isStopping = true;
    for (const stream of streams) stream.end();
  });
  const schema = {
    operationId: "live",
    summary: "Events as they happen: notification, read, delivery, device",
    description:
      "Server-Sent Events; resumes after the event named by Last-Event-ID. An event may come twice. The stream ends with the session or access token.",
    tags: ["Live"],
    produces: ["text/event-stream"],
    headers: Type.Object({ "last-event-id": Type.Optional(Type.String()) }),
  };
  server.get("/api/app/v1/live", { schema }, async (request, reply) => {
    const { accountId } = await authenticate(request);
    const stream = new LiveStream(reply.raw);
    if (!stream.isOpen) return void reply.hijack();
    // From here to `open` nothing may wait: what happens meanwhile would be lost.
    const position = context.newId();
    const lastId = parseEventId(request.headers["last-event-id"]);
    const known = lastId === null ? [] : hub.since(accountId, lastId);
    const close = hub.open(accountId, stream.take, () => stream.end());
    if (close === null) throw tooMany();
    reply.raw.once("close", close);
    const since = timeOf(lastId ?? position);
    const missed = known ?? (await missedNotifications(parts, { accountId, since }));
    if (isStopping) throw stopping();
    reply.hijack();
    if (!stream.isOpen) return;
    stream.begin(reply.getHeaders(), { missed, position });
    streams.add(stream);
    const heartbeat = setInterval(() => void beat(parts, request, stream), HEARTBEAT_MS);
    reply.raw.once("close", () => {
      clearInterval(heartbeat);
      streams.delete(stream);
    });
  });
}

/** Keeps a stream alive as long as who opened it may read it; a database that fails meanwhile ends nothing. */
async function beat(
  { authenticate, context }: LiveRouteParts,
  request: FastifyRequest,
  stream: LiveStream,
): Promise<void> {
  stream.beat();
  try {
    await authenticate(request);
  } catch (error) {
    if (error instanceof AppError && error.code === "unauthenticated") stream.end();
    else context.log.warn({ err: error }, "a live stream's session is checked later");
  }
}

/** Ids are those of `newId`; a stream that names anything else begins now. */
function parseEventId(header: string | undefined): string | null {
  return header !== undefined && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(header)
    ? header
    : null;
}

function tooMany(): AppError {
  const message = "Too many live streams of this account are open. Close one.";
  return new AppError("rate_limited", message, { retryAfterMs: TOO_MANY_RETRY_MS });
}

function stopping(): AppError {
  const message = "This server is stopping. Connect again shortly.";
  return new AppError("unavailable", message, { retryAfterMs: STOPPING_RETRY_MS });
}
