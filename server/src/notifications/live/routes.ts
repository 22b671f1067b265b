import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "#schema/json-schema.ts";
import { AppError } from "#errors.ts";
import type { Authenticate, Person } from "#http/authenticate.ts";
import type { Server } from "#http/server.ts";
import { timeOf } from "#ids.ts";
import type { HubEvent, LiveHub } from "./hub.ts";
import { replayedNotifications, type ReplayDeps } from "./replay.ts";
import type { StreamRights } from "./rights.ts";
import { endWithReader, LiveStream } from "./stream.ts";

export interface LiveRouteDeps extends ReplayDeps {
  readonly authenticate: Authenticate;
  readonly hub: LiveHub;
  readonly rights: StreamRights;
}

/** Proxies close streams that send nothing for half a minute. */
const HEARTBEAT_MS = 20_000;
const STOPPING_RETRY_MS = 1_000;
const TOO_MANY_RETRY_MS = 60_000;

/** Registers the live stream, as Server-Sent Events (HTML standard, section 9.2). */
export function registerLiveRoutes(server: Server, deps: LiveRouteDeps): void {
  const { authenticate } = deps;
  const streams = new Set<LiveStream>();
  let isStopping = false;
  server.addHook("preClose", async () => {
    isStopping = true;
    for (const stream of streams) stream.end();
  });
  const schema = {
    operationId: "live",
    refusals: [429],
    summary: "Events as they happen: notification, read, delivery, device",
    description:
      "Server-Sent Events; resumes after the event named by Last-Event-ID, and on a node that does not know this event with the newest 200 notifications since. An event may come twice. The stream ends within two seconds with the session, the access token or the account.",
    tags: ["Live"],
    headers: Type.Object({ "last-event-id": Type.Optional(Type.String()) }),
    response: {
      200: {
        description: "The stream: events with an id, a kind and one line of JSON.",
        content: { "text/event-stream": { schema: Type.String() } },
      },
    },
  };
  server.get("/api/app/v1/live", { schema }, async (request, reply) => {
    endWithReader(reply.raw);
    const person = await authenticate(request);
    const stream = new LiveStream(reply.raw);
    if (!stream.isOpen) return void reply.hijack();
    const { position, missed } = await open(deps, { request, reply, person, stream });
    if (isStopping) throw serverStopping();
    reply.hijack();
    if (!stream.isOpen) return;
    stream.begin(reply.getHeaders(), { missed, position });
    streams.add(stream);
    const heartbeat = setInterval(() => stream.beat(), HEARTBEAT_MS);
    reply.raw.once("close", () => {
      clearInterval(heartbeat);
      streams.delete(stream);
    });
  });
}

interface Opening {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly person: Person;
  readonly stream: LiveStream;
}

/** Subscribes a stream from now on, and returns its position and the replay of earlier events. */
async function open(
  { context, hub, rights, staysOf }: LiveRouteDeps,
  { request, reply, person, stream }: Opening,
): Promise<{ readonly position: string; readonly missed: readonly HubEvent[] }> {
  const { accountId } = person;
  // No await until the hub and the rights have the stream: events in between would be lost.
  const position = context.newId();
  const lastId = parseEventId(request.headers["last-event-id"]);
  const replayed = lastId === null ? [] : hub.since(accountId, lastId);
  const credentialId = credentialOf(person);
  const { isValid, beforeEvent, leave } = rights.admit({ accountId, credentialId, stream });
  const onEvent = (event: HubEvent) => {
    beforeEvent();
    stream.take(event);
  };
  const close = hub.open(accountId, onEvent, () => stream.end());
  if (close === null) {
    leave();
    throw tooManyStreams();
  }
  reply.raw.once("close", () => {
    close();
    leave();
  });
  if (!(await isValid)) throw sessionEnded();
  const since = timeOf(lastId ?? position);
  const missed =
    replayed ?? (await replayedNotifications({ context, staysOf }, { accountId, since }));
  return { position, missed };
}

/** Returns the id of the credential that opens the stream. */
function credentialOf({ session, accessTokenId }: Person): string {
  const id = session?.id ?? accessTokenId;
  if (id === null) throw new Error("Nobody is signed in without a session or an access token.");
  return id;
}

/** Returns the event id in the header, if it has the format of `newId`. With any other value, the stream starts now. */
function parseEventId(header: string | string[] | undefined): string | null {
  return typeof header === "string" && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(header)
    ? header
    : null;
}

function tooManyStreams(): AppError {
  const message = "Too many live streams of this account are open. Close one.";
  return new AppError("rate_limited", message, { retryAfterMs: TOO_MANY_RETRY_MS });
}

function sessionEnded(): AppError {
  return new AppError("unauthenticated", "Sign in, or send a valid access token.");
}

function serverStopping(): AppError {
  const message = "This server is stopping. Connect again shortly.";
  return new AppError("unavailable", message, { retryAfterMs: STOPPING_RETRY_MS });
}
