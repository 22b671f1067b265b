import type { FastifyReply, FastifyRequest } from "fastify";
import type { FetchedMessages } from "#apps/app-streams.ts";
import type { Server } from "#http/server.ts";
import { runAfterResponse } from "../../after-response.ts";
import { authenticateApp, getApp } from "../../authenticate.ts";
import { FOREIGN_ROUTE, type DialectDeps } from "../../dialect.ts";
import { refuseForeignOrigin } from "../../refuse-foreign-origin.ts";
import { ResponseWire } from "../../response-wire.ts";
import { WebSocketWire } from "../../web-socket-wire.ts";
import type { Wire } from "../../wire.ts";
import { NtfyError } from "../ntfy-error.ts";
import { readAppPassword } from "../read-app-password.ts";
import { createTopicsPath } from "../topic.ts";
import { encodeAppMessage, type EncodedEvent } from "./app-event.ts";
import { JSON_FORMAT, RAW_FORMAT, SSE_FORMAT, type StreamFormat } from "./format.ts";
import { OpenStreams } from "./open-streams.ts";
import { parseSubscribeRequest, type SubscribeInput } from "./parse-request.ts";
import { NtfyStream } from "./stream.ts";

/** The path of a WebSocket: a segment with its topics, then `ws`. */
const WEB_SOCKET_PATH = /^\/{1,2}[-_,A-Za-z0-9]+\/ws\/?$/;

/** Registers the routes with which apps of ntfy receive messages. */
export function registerSubscribeRoutes(server: Server, deps: DialectDeps): void {
  const path = createTopicsPath(server.ownSegments);
  const openStreams = new OpenStreams(server);
  const call = { server, deps, openStreams };
  const onRequest = async (request: FastifyRequest) => {
    await authenticateApp(deps, request, { key: readAppPassword(request), dialect: "ntfy" });
    const app = getApp(request);
    if (!app.isForIphone && isFromIphone(request)) await deps.appSignIn.recordIphone(app);
  };
  const options = { ...FOREIGN_ROUTE, onRequest };
  server.get(`${path}/auth`, options, async () => ({ success: true }));
  for (const format of [JSON_FORMAT, SSE_FORMAT, RAW_FORMAT]) {
    server.get(`${path}/${format.transport}`, options, async (request, reply) =>
      subscribeByResponse(call, { request, reply, format }),
    );
  }
  server.webSockets.allowAt(WEB_SOCKET_PATH);
  server.get(`${path}/ws`, options, async (request, reply) =>
    subscribeByWebSocket(call, { request, reply }),
  );
}

/**
 * Returns whether the app says that it is the one for iPhones: `ntfy/1.3 (build 4; iOS 18.1)`. (binwiederhier/ntfy-ios:
 * ntfy/Utils/ApiService.swift)
 */
function isFromIphone({ headers }: FastifyRequest): boolean {
  return /^ntfy\/.*\biOS\b/.test(headers["user-agent"] ?? "");
}

interface SubscribeCall {
  readonly server: Server;
  readonly deps: DialectDeps;
  readonly openStreams: OpenStreams;
}

interface SubscribeRequest {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

async function subscribeByResponse(
  call: SubscribeCall,
  { request, reply, format }: SubscribeRequest & { readonly format: StreamFormat },
) {
  const wire = new ResponseWire(reply, format.contentType);
  const input = await parseSubscribeRequest(call, request);
  if (input.isPoll) {
    reply.type(format.contentType);
    const { events, recordFetched } = await fetchEvents(call, request, input);
    runAfterResponse(reply, recordFetched);
    return events.map(format.format).join("");
  }
  const stream = new NtfyStream(call.deps, { ...input, wire, ...format });
  await openStream(call, { request, reply, wire, input, stream });
  return reply;
}

async function subscribeByWebSocket(
  call: SubscribeCall,
  { request, reply }: SubscribeRequest,
): Promise<FastifyReply> {
  const { webSockets } = call.server;
  if (!webSockets.isPending(request)) throw new NtfyError(40016);
  refuseForeignOrigin(request, call.deps.baseUrl);
  const wire = new WebSocketWire({ webSockets, request, reply }, (payload) =>
    stream.onPong(payload),
  );
  const input = await parseSubscribeRequest(call, request);
  const stream = new NtfyStream(call.deps, { ...input, wire, ...WEB_SOCKET_FORMAT });
  if (input.isPoll) await sendEvents(wire, await fetchEvents(call, request, input));
  else await openStream(call, { request, reply, wire, input, stream });
  return reply;
}

/** The JSON of an event in each frame. */
const WEB_SOCKET_FORMAT = {
  transport: "websocket",
  format: ({ json }: EncodedEvent) => json,
} as const;

interface FetchedEvents extends Pick<FetchedMessages<unknown>, "recordFetched"> {
  readonly events: readonly EncodedEvent[];
}

async function fetchEvents(
  { deps }: SubscribeCall,
  request: FastifyRequest,
  input: SubscribeInput,
): Promise<FetchedEvents> {
  const { messages, recordFetched } = await deps.appStreams.fetch(getApp(request), input);
  return { events: messages.map((message) => encodeAppMessage(message, deps)), recordFetched };
}

/** Sends events over a wire, and ends the wire. Never rejects: an app that leaves before the end keeps its position. */
async function sendEvents(wire: Wire, { events, recordFetched }: FetchedEvents): Promise<void> {
  wire.begin();
  try {
    for (const { json } of events) await wire.write(json);
    void recordFetched();
  } catch {
    // The connection is closed.
  }
  wire.destroy();
}

interface StreamToOpen extends SubscribeRequest {
  readonly wire: Wire;
  readonly input: SubscribeInput;
  readonly stream: NtfyStream;
}

/** Opens a stream. If that fails, throws, or ends the connection if the response has begun. */
async function openStream(
  { deps, openStreams }: SubscribeCall,
  { request, reply, wire, input, stream }: StreamToOpen,
): Promise<void> {
  if (!wire.isOpen) {
    reply.hijack();
    return;
  }
  openStreams.add(stream, wire);
  try {
    const opened = await deps.appStreams.open(getApp(request), stream, input.since);
    stream.attach(opened);
    stream.start();
  } catch (error) {
    if (wire.isOpen && !wire.hasBegun) throw error;
    stream.destroy();
    request.log.warn({ reqId: request.id, err: error }, "a stream could not be opened");
  }
  if (!wire.hasBegun) reply.hijack();
}
