import type { FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "#errors.ts";
import { closeOnDisconnect } from "#http/close-on-disconnect.ts";
import type { Server } from "#http/server.ts";
import { runAfterResponse } from "../../after-response.ts";
import { authenticateApp, getApp } from "../../authenticate.ts";
import { FOREIGN_ROUTE, type DialectDeps } from "../../dialect.ts";
import { refuseForeignOrigin } from "../../refuse-foreign-origin.ts";
import { WebSocketWire } from "../../web-socket-wire.ts";
import { toApplicationId } from "../ids.ts";
import { PRIORITY_DEFAULT } from "../translate.ts";
import { GOTIFY_VERSION } from "../version.ts";
import { readToken } from "../token.ts";
import { toApplicationName, toGotifyMessage } from "./app-message.ts";
import { createPage, parsePageRequest, parsePathNumber } from "./page.ts";
import { GotifyStream } from "./stream.ts";

/** A picture that needs no sign-in. */
const IMAGE_PATH = "icons/bell-192.png";

/** The health of a server that can store messages, and of one that cannot, as gotify/server writes them (`api/health.go`). */
const GREEN = { health: "green", database: "green" };
const RED = { health: "orange", database: "red" };

/** Registers the routes with which apps of Gotify receive messages. */
export function registerAppRoutes(server: Server, deps: DialectDeps): void {
  const options = {
    ...FOREIGN_ROUTE,
    onRequest: async (request: FastifyRequest) =>
      authenticateApp(deps, request, { key: readToken(request), dialect: "gotify" }),
  };
  registerStreamRoute(server, deps, options);
  registerMessageRoutes(server, deps, options);
  server.get("/application", options, async (request) => {
    const channels = await deps.appStreams.listChannels(getApp(request));
    return channels.map(toApplication);
  });
  server.get("/plugin", options, async () => []);
  const info = { version: GOTIFY_VERSION, register: false, oidc: false };
  server.get("/gotifyinfo", FOREIGN_ROUTE, async () => info);
  server.get("/health", FOREIGN_ROUTE, async (_request, reply) => {
    const isWritable = await deps.context.database.isWritable();
    return reply.code(isWritable ? 200 : 500).send(isWritable ? GREEN : RED);
  });
}

interface AppRouteOptions {
  readonly schema: { readonly hide: boolean };
  readonly config: { readonly isForeign: boolean };
  readonly onRequest: (request: FastifyRequest) => Promise<void>;
}

function registerStreamRoute(server: Server, deps: DialectDeps, options: AppRouteOptions): void {
  const { webSockets } = server;
  webSockets.allowAt(/^\/{1,2}stream\/?$/);
  server.get("/stream", options, async (request, reply) => {
    if (!webSockets.isPending(request))
      throw new AppError("invalid_request", "This path is for WebSockets only.");
    refuseForeignOrigin(request, deps.baseUrl);
    const wire = new WebSocketWire({ webSockets, request, reply }, (payload) =>
      stream.onPong(payload),
    );
    const stream = new GotifyStream(wire);
    stream.start(deps, getApp(request));
    return reply;
  });
}

function registerMessageRoutes(server: Server, deps: DialectDeps, options: AppRouteOptions): void {
  const { appStreams } = deps;
  server.get("/message", options, async (request, reply) =>
    listMessages(deps, { request, reply, channel: null }),
  );
  server.delete("/message", options, async (request, reply) => {
    await appStreams.removeFromList(getApp(request), { number: null, channel: null });
    return reply.send();
  });
  server.delete("/message/:id", options, async (request, reply) => {
    const number = parsePathNumber(getId(request));
    if (number === null) throw createNotFoundError("message");
    await appStreams.removeFromList(getApp(request), { number, channel: null });
    return reply.send();
  });
  server.get("/application/:id/message", options, async (request, reply) =>
    listMessages(deps, { request, reply, channel: await findChannel(deps, request) }),
  );
  server.delete("/application/:id/message", options, async (request, reply) => {
    const channel = await findChannel(deps, request);
    await appStreams.removeFromList(getApp(request), { number: null, channel });
    return reply.send();
  });
}

interface ListInput {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** The channel of the messages; null for all channels. */
  readonly channel: string | null;
}

async function listMessages(
  { appStreams, baseUrl }: DialectDeps,
  { request, reply, channel }: ListInput,
) {
  closeOnDisconnect(reply.raw);
  // The server parses queries into objects.
  const page = parsePageRequest(request.query as Readonly<Record<string, unknown>>);
  const fetched = await appStreams.listPage(getApp(request), { channel, ...page });
  runAfterResponse(reply, fetched.recordFetched);
  const path = channel === null ? "message" : `application/${toApplicationId(channel)}/message`;
  return createPage(fetched.messages.map(toGotifyMessage), { ...page, url: `${baseUrl}/${path}` });
}

/** Returns the channel of an application; throws `not_found` for one of which the app has no message. */
async function findChannel({ appStreams }: DialectDeps, request: FastifyRequest): Promise<string> {
  const id = parsePathNumber(getId(request));
  const channels = await appStreams.listChannels(getApp(request));
  const channel = channels.find((name) => toApplicationId(name) === id);
  if (channel === undefined) throw createNotFoundError("application");
  return channel;
}

function getId({ params }: FastifyRequest): string {
  // The route's pattern has this parameter.
  return (params as { readonly id: string }).id;
}

function createNotFoundError(kind: "application" | "message" | "client"): AppError {
  return new AppError("not_found", `There is no ${kind} with this id.`);
}

/** A channel as Gotify writes an application. */
function toApplication(channel: string) {
  return {
    id: toApplicationId(channel),
    name: toApplicationName(channel),
    description: "",
    image: IMAGE_PATH,
    internal: false,
    defaultPriority: PRIORITY_DEFAULT,
  };
}
