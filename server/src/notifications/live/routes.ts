import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "#schema/json-schema.ts";
import { AppError } from "#errors.ts";
import type { Authenticate, Person } from "#http/authenticate.ts";
import { closeOnDisconnect } from "#http/close-on-disconnect.ts";
import type { Server } from "#http/server.ts";
import { parseIdTime } from "#ids.ts";
import type { HubEvent, LiveHub } from "./hub.ts";
import { loadMissedNotifications, type ReplayDeps } from "./replay.ts";
import type { StreamCredentialChecks } from "./credential-checks.ts";
import { LiveStream } from "./stream.ts";

/** The dependencies of the live stream route. */
export interface LiveRouteDeps extends ReplayDeps {
  readonly authenticate: Authenticate;
  readonly hub: LiveHub;
  readonly credentialChecks: StreamCredentialChecks;
}

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
    errorStatuses: [429],
    summary: "Events as they happen: notification, read, delivery, device, incident, prompt",
    description:
      "Server-Sent Events. Resumes after the event that Last-Event-ID names. A node that does not know this event sends the newest 200 notifications since then. An event may come twice. The stream ends within two seconds after the session, access token or account does.",
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
    closeOnDisconnect(reply.raw);
    const person = await authenticate(request);
    const stream = new LiveStream(reply.raw);
    if (!stream.isOpen) return void reply.hijack();
    const { position, replayedEvents } = await openStream(deps, {
      request,
      reply,
      person,
      stream,
    });
    if (isStopping) throw createServerStoppingError();
    reply.hijack();
    if (!stream.isOpen) return;
    stream.start(reply.getHeaders(), { replayedEvents, position });
    streams.add(stream);
    reply.raw.once("close", () => streams.delete(stream));
  });
}

interface OpenStreamInput {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly person: Person;
  readonly stream: LiveStream;
}

/** Subscribes a stream from now on, and returns its position and the replay of earlier events. */
async function openStream(
  { context, hub, credentialChecks, listMembershipPeriods }: LiveRouteDeps,
  { request, reply, person, stream }: OpenStreamInput,
): Promise<{ readonly position: string; readonly replayedEvents: readonly HubEvent[] }> {
  const { accountId } = person;
  // No await until the stream is registered for events and for checks: events in between would be lost.
  const position = context.newId();
  const lastId = parseEventId(request.headers["last-event-id"]);
  const bufferedEvents = lastId === null ? [] : hub.listEventsSince(accountId, lastId);
  const credentialId = getCredentialId(person);
  const {
    isValid,
    beforeEvent,
    remove: removeFromChecks,
  } = credentialChecks.add({ accountId, credentialId, stream });
  const onEvent = (event: HubEvent) => {
    beforeEvent();
    stream.send(event);
  };
  const removeFromHub = hub.addStream(accountId, onEvent, () => stream.end());
  if (removeFromHub === null) {
    removeFromChecks();
    throw createTooManyStreamsError();
  }
  reply.raw.once("close", () => {
    removeFromHub();
    removeFromChecks();
  });
  if (!(await isValid)) throw createSessionEndedError();
  const sinceAt = parseIdTime(lastId ?? position);
  const replayedEvents =
    bufferedEvents ??
    (await loadMissedNotifications({ context, listMembershipPeriods }, { accountId, sinceAt }));
  return { position, replayedEvents };
}

/** Returns the id of the credential that opens the stream. */
function getCredentialId({ session, accessTokenId }: Person): string {
  const id = session?.id ?? accessTokenId;
  if (id === null)
    throw new Error("The signed-in person has neither a session nor an access token.");
  return id;
}

/** Returns the event id in the header, if it has the format of `newId`. With any other value, the stream starts now. */
function parseEventId(header: string | string[] | undefined): string | null {
  return typeof header === "string" && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(header)
    ? header
    : null;
}

function createTooManyStreamsError(): AppError {
  const message = "Too many live streams of this account are open. Close one.";
  return new AppError("rate_limited", message, { retryAfterMs: TOO_MANY_RETRY_MS });
}

function createSessionEndedError(): AppError {
  return new AppError("unauthenticated", "Sign in, or send a valid access token.");
}

function createServerStoppingError(): AppError {
  const message = "This server is stopping. Connect again shortly.";
  return new AppError("unavailable", message, { retryAfterMs: STOPPING_RETRY_MS });
}
