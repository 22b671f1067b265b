import type { FastifyReply, FastifyRequest } from "fastify";
import { BODY_MAX_BYTES, type Server } from "#http/server.ts";
import { sendByApp } from "#notifications/send-by-app.ts";
import { createDeviceCharge } from "#notifications/charge.ts";
import { refuseAutomaticGet } from "#notifications/refuse-get.ts";
import { parseSendHeaders, type SendParameters } from "#notifications/request.ts";
import { acceptSend } from "#notifications/routes.ts";
import { authenticateSenderOrApp } from "../authenticate.ts";
import { FOREIGN_ROUTE, type DialectDeps } from "../dialect.ts";
import { isReservedName } from "../reserved-names.ts";
import { createNtfyAnswer } from "./answer.ts";
import { beginsWithKey, parseKeyTopic, readNtfyKey } from "./credential.ts";
import { createNtfyDraft } from "./draft.ts";
import { parseNtfyMessage, type NtfyPublication } from "./message.ts";
import { NtfyError } from "./ntfy-error.ts";
import { createParameterReader } from "./parameters.ts";
import { findTopic, parsePublishJson } from "./publish-json.ts";
import { readBeginning, type Beginning } from "../read-beginning.ts";
import { createTopicPath, toChannel } from "./topic.ts";

/** How much of a body is kept, and how much is read: ntfy takes files of up to 15 MB. */
const BODY_LIMITS = { keptMaxBytes: BODY_MAX_BYTES, readMaxBytes: 15 * 1024 * 1024 };

/** Registers the routes that senders of ntfy's API call. */
export function registerNtfyRoutes(server: Server, deps: DialectDeps): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(
    "*",
    async (_request: FastifyRequest, payload: FastifyRequest["raw"]) =>
      readBeginning(payload, BODY_LIMITS),
  );
  server.addHook("onRequest", async (request) => {
    // Metrics and logs name the route, without the expression that its topic matches.
    request.pattern = request.pattern.replace(/\(.*\)/, "");
  });
  registerTopicRoutes(server, deps);
  server.route({
    ...FOREIGN_ROUTE,
    method: ["POST", "PUT"],
    url: "/",
    handler: async (request, reply) => {
      const { bytes, isComplete } = getBody(request);
      // Only now, because the topic in the body may be the key.
      await authenticate(deps, request, findTopic(bytes));
      if (!isComplete) throw new NtfyError(41303);
      const { topic, text, read } = parsePublishJson(bytes, createParameterReader(request));
      const body = Buffer.from(text);
      return publish({ server, deps, request, reply }, { topic, read, body, isComplete });
    },
  });
}

function registerTopicRoutes(server: Server, deps: DialectDeps): void {
  const path = createTopicPath(server.ownSegments);
  const onRequest = async (request: FastifyRequest) =>
    authenticate(deps, request, getTopic(request));
  server.route({
    ...FOREIGN_ROUTE,
    method: ["POST", "PUT"],
    url: path,
    onRequest,
    handler: async (request, reply) => publishToTopic({ server, deps, request, reply }),
  });
  for (const verb of ["publish", "send", "trigger"]) {
    server.route({
      ...FOREIGN_ROUTE,
      method: "GET",
      url: `${path}/${verb}`,
      onRequest,
      handler: async (request, reply) => {
        // An app password has no rule about GET.
        const isPostOnly = request.principal?.isPostOnly ?? false;
        refuseAutomaticGet({ isPostOnly }, request.headers);
        return publishToTopic({ server, deps, request, reply });
      },
    });
  }
}

function getTopic(request: FastifyRequest): string {
  // The route's pattern has this parameter.
  return (request.params as { readonly topic: string }).topic;
}

/** The parsers of these routes replace every body by its beginning; a GET request has none. */
function getBody({ body }: FastifyRequest): Beginning {
  return (body as Beginning | undefined) ?? { bytes: Buffer.alloc(0), isComplete: true };
}

/** Authenticates a request that has a key or an app password; throws for one that has none. */
async function authenticate(deps: DialectDeps, request: FastifyRequest, topic: string) {
  await authenticateSenderOrApp(deps, request, { key: readKey(request, topic), dialect: "ntfy" });
}

function readKey({ headers, query }: FastifyRequest, topic: string): string | null {
  // Fastify parses queries into objects.
  const values = query as Readonly<Record<string, unknown>>;
  return readNtfyKey({ authorization: headers.authorization, query: values, topic });
}

interface PublishCall {
  readonly server: Server;
  readonly deps: DialectDeps;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

async function publishToTopic(call: PublishCall) {
  const { bytes, isComplete } = getBody(call.request);
  const read = createParameterReader(call.request);
  return publish(call, { topic: getTopic(call.request), read, body: bytes, isComplete });
}

async function publish({ server, deps, request, reply }: PublishCall, input: NtfyPublication) {
  const { topic } = input;
  if (isReservedName(server, topic)) throw new NtfyError(40010);
  const message = parseNtfyMessage(input);
  const parameters = {
    ...createNtfyDraft(message, findChannel(topic, request.sender?.channel ?? null)),
    ...parseSendHeaders(request.headers),
    interaction: null,
  };
  const notificationId = await accept({ server, deps, request, reply }, parameters);
  return createNtfyAnswer({ message, notificationId, ttlSeconds: parameters.ttlSeconds });
}

/** Accepts the send of a key or an app. Returns the id of its notification. */
async function accept(
  { deps, request, reply }: PublishCall,
  parameters: SendParameters,
): Promise<string> {
  const { signedInApp } = request;
  const { ignoredFields } = parameters;
  if (signedInApp !== null) {
    const { accountId } = signedInApp;
    const charge = createDeviceCharge((count) => deps.rateLimit.take(accountId, count));
    const { elapsedTime: elapsedMs } = reply;
    const id = await sendByApp(deps, { accountId, parameters, elapsedMs, charge });
    reply.header("x-notification-id", id);
    if (ignoredFields.length > 0) reply.header("x-ignored-fields", ignoredFields.join(", "));
    return id;
  }
  const { notificationId } = await acceptSend(deps, { request, reply, parameters });
  if (notificationId === null) throw new Error("The send of a plain message has no notification.");
  return notificationId;
}

/**
 * Returns the channel of a topic; `ownChannel` for a topic that is only a key. A key never becomes part of the name of a
 * channel, which others can read.
 */
function findChannel(topic: string, ownChannel: string | null): string | null {
  const properTopic = beginsWithKey(topic) ? parseKeyTopic(topic)?.rest : topic;
  return properTopic === null || properTopic === undefined ? ownChannel : toChannel(properTopic);
}
