import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "#schema/json-schema.ts";
import type { Audience } from "#devices/audiences/audience.ts";
import { authenticateKey, getPrincipal, type FindPrincipal } from "#http/authenticate.ts";
import type { RateLimiter } from "#http/rate-limit.ts";
import type { Server } from "#http/server.ts";
import { countFurtherRequests, createDeviceCharge } from "./charge.ts";
import { toSenderAudience, findGroupAudience } from "./find-audience.ts";
import type { InteractionFields } from "./interaction-fields.ts";
import { awaitResults, type AwaitResultsDeps } from "./await-results.ts";
import { readBeforeCommit, ReadDeadline } from "./read-deadline.ts";
import { pickOrderIds, type OrderIds, type TakeOrder } from "./order.ts";
import { refuseAutomaticGet } from "./refuse-get.ts";
import { parseJsonSend, parseWebhookSend, type SendParameters } from "./request.ts";
import { AsyncSendResponseSchema, SendResponseSchema } from "./schema.ts";
import { NotificationBodySchema, NotificationQuerySchema, SendHeadersSchema } from "./schema.ts";
import { createIdempotencyError, send } from "./send.ts";
import { ACCEPTED_RESPONSE, type SendResponse } from "./send-response.ts";

/** The dependencies of the notification API routes. */
export interface NotificationRouteDeps extends AwaitResultsDeps {
  readonly findPrincipal: FindPrincipal;
  readonly rateLimit: RateLimiter;
  readonly takeOrder: TakeOrder;
}

/** Registers the notification API: the operations that send with an API key. */
export function registerNotificationRoutes(server: Server, deps: NotificationRouteDeps): void {
  registerHeaderKeyRoutes(server, deps);
  registerPathKeyRoutes(server, deps);
}

const JSON_SEND_SCHEMA = {
  headers: SendHeadersSchema,
  body: NotificationBodySchema,
  tags: ["Notifications"],
};
const KEY_IN_HEADER = [{ apiKey: [] }];
const KEY_IN_PATH = { params: Type.Object({ apiKey: Type.String() }), security: [] };

/** The schemas only document the values; the parser of the send checks them. */
const acceptAnyInput = () => () => true;

function registerHeaderKeyRoutes(server: Server, deps: NotificationRouteDeps): void {
  const onRequest = createAuthenticationHook(deps, () => undefined);
  const commonSchema = { ...JSON_SEND_SCHEMA, security: KEY_IN_HEADER };
  server.route({
    method: "POST",
    url: "/api/v1/notify",
    schema: {
      ...commonSchema,
      operationId: "notify",
      summary: "Send and get the result per device",
      response: { 200: SendResponseSchema },
    },
    validatorCompiler: acceptAnyInput,
    onRequest,
    handler: async (request, reply) =>
      sendAndAwait(deps, { request, reply, parameters: parseJsonSend(request) }),
  });
  server.route({
    method: "POST",
    url: "/api/v1/notify-async",
    schema: {
      ...commonSchema,
      operationId: "notifyAsync",
      summary: "Send and get an acknowledgement once it is stored",
      response: { 200: AsyncSendResponseSchema },
    },
    validatorCompiler: acceptAnyInput,
    onRequest,
    handler: async (request, reply) => sendWithoutWaiting(deps, request, reply),
  });
  server.route({
    method: "POST",
    url: "/api/v1/notify/group/:groupId",
    schema: {
      ...commonSchema,
      operationId: "notifyGroup",
      summary: "Send to the devices of one group of the account",
      params: Type.Object({ groupId: Type.String() }),
      response: { 200: SendResponseSchema },
    },
    validatorCompiler: acceptAnyInput,
    onRequest,
    handler: async (request, reply) => {
      const { groupId } = request.params;
      const sender = getPrincipal(request);
      const parameters = parseJsonSend(request);
      const readDeadline = new ReadDeadline(reply.elapsedTime);
      const audienceRead = findGroupAudience(deps.context, { sender, groupId });
      const audience = await readDeadline.enforce(readBeforeCommit(deps.context, audienceRead));
      return sendAndAwait(deps, { request, reply, parameters, audience });
    },
  });
}

function registerPathKeyRoutes(server: Server, deps: NotificationRouteDeps): void {
  const onRequest = [forbidIndexing, createAuthenticationHook(deps, getPathKey)];
  server.route({
    method: "POST",
    url: "/api/v1/notify/:apiKey",
    schema: {
      ...JSON_SEND_SCHEMA,
      ...KEY_IN_PATH,
      operationId: "notifyWithKey",
      summary: "Send with the key in the path; the URL is a secret",
      response: { 200: SendResponseSchema },
    },
    validatorCompiler: acceptAnyInput,
    onRequest,
    handler: async (request, reply) =>
      sendAndAwait(deps, { request, reply, parameters: parseWebhookSend(request) }),
  });
  server.route({
    method: "GET",
    url: "/api/v1/notify/:apiKey",
    schema: {
      ...KEY_IN_PATH,
      headers: SendHeadersSchema,
      querystring: NotificationQuerySchema,
      tags: ["Notifications"],
      operationId: "notifyWebhook",
      summary: "Send by opening a URL; the URL is a secret",
      description: "A key that allows POST only refuses it: 400 `post_only`.",
      response: { 200: SendResponseSchema },
    },
    validatorCompiler: acceptAnyInput,
    onRequest,
    handler: async (request, reply) => {
      refuseAutomaticGet(getPrincipal(request), request.headers);
      return sendAndAwait(deps, { request, reply, parameters: parseWebhookSend(request) });
    },
  });
  server.route({
    method: "HEAD",
    url: "/api/v1/notify/:apiKey",
    schema: { hide: true },
    onRequest,
    handler: async (request, reply) => {
      refuseAutomaticGet(getPrincipal(request), request.headers);
      setIgnoredFieldsHeader(reply, parseWebhookSend(request));
      // Services probe webhook URLs with HEAD: the response says whether a GET request is valid, and nothing is sent.
      return reply.code(200).send();
    },
  });
}

/** Returns a hook that authenticates before the body is read, charges the key, and slows bulk sending down. */
function createAuthenticationHook(
  { context, findPrincipal, rateLimit, delivery }: NotificationRouteDeps,
  getKey: (request: FastifyRequest) => string | undefined,
) {
  return async (request: FastifyRequest): Promise<void> => {
    const principalRead = authenticateKey(findPrincipal, request, getKey(request));
    request.principal = await readBeforeCommit(context, principalRead);
    rateLimit.take(request.principal.keyId, 1);
    delivery.slowBulkDown();
  };
}

function getPathKey(request: FastifyRequest): string {
  // The route's pattern has this parameter.
  return (request.params as { readonly apiKey: string }).apiKey;
}

/** Keeps search engines from indexing a URL that is a secret. */
async function forbidIndexing(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.header("x-robots-tag", "noindex");
}

/** Sets the header that names the ignored fields, so that a sender can find its mistake although it gets no error. */
function setIgnoredFieldsHeader(reply: FastifyReply, { ignoredFields }: SendParameters): void {
  if (ignoredFields.length > 0) reply.header("x-ignored-fields", ignoredFields.join(", "));
}

/** A send to accept. */
export interface AcceptSendInput {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly parameters: SendParameters;
  /** The whole audience of the request's key by default. */
  readonly audience?: Audience;
}

async function sendAndAwait(deps: NotificationRouteDeps, input: AcceptSendInput) {
  const audience = input.audience ?? toSenderAudience(getPrincipal(input.request));
  const { interaction } = input.parameters;
  if (interaction !== null) {
    const order = { ...input, audience, isAwaited: true };
    const { response, ids } = await takeOrder(deps, order, interaction);
    return { ...response, ...ids };
  }
  const sent = await startSend(deps, { ...input, audience, isAwaited: true });
  return awaitResults(
    { ...deps, syncWaitMs: getRemainingWaitMs(deps, input.reply) },
    { audience, sent },
  );
}

/** The wait counts from the arrival of the request and not from the commit. */
function getRemainingWaitMs(
  { syncWaitMs }: Pick<NotificationRouteDeps, "syncWaitMs">,
  reply: FastifyReply,
): number {
  return Math.max(0, syncWaitMs - reply.elapsedTime);
}

interface StartSendInput extends Required<AcceptSendInput> {
  readonly isAwaited: boolean;
}

/** Lets the incidents or the prompts room take an order, and sets the headers of the response. */
async function takeOrder(
  deps: AcceptSendDeps,
  { request, reply, parameters, audience, isAwaited }: StartSendInput,
  interaction: InteractionFields,
) {
  const principal = getPrincipal(request);
  const { keyId, firstKeyId: sourceId, accountId } = principal;
  const teamId = principal.kind === "team" ? principal.teamId : null;
  const credential = { kind: "api_key", id: keyId } as const;
  const origin = { ip: request.ip, userAgent: request.headers["user-agent"], credential };
  const sender = { keyId, sourceId, accountId, teamId, origin };
  const waitMs = getRemainingWaitMs(deps, reply);
  const charge = createDeviceCharge((count) => deps.rateLimit.take(keyId, count));
  const order = { sender, audience, parameters, interaction, isAwaited, waitMs, charge };
  const sent = await deps.takeOrder(order);
  const { response, notificationId, incidentId, promptId } = sent;
  if (notificationId !== null) reply.header("x-notification-id", notificationId);
  if (incidentId !== undefined) reply.header("x-incident-id", incidentId);
  if (promptId !== undefined) reply.header("x-prompt-id", promptId);
  setIgnoredFieldsHeader(reply, parameters);
  return { notificationId, response, ids: pickOrderIds(sent) };
}

async function sendWithoutWaiting(
  deps: NotificationRouteDeps,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const parameters = parseJsonSend(request);
  const { response, ids } = await acceptSend(deps, { request, reply, parameters });
  const { success, message } = response;
  return { success, message, ...ids };
}

/** The dependencies of accepting a send. */
export type AcceptSendDeps = Omit<NotificationRouteDeps, "findPrincipal">;

/** A send that was accepted. */
export interface AcceptedSend {
  /** The notification, or the earlier one that the send repeats; null if it only acted on an incident. */
  readonly notificationId: string | null;
  readonly response: SendResponse;
  readonly ids: OrderIds;
}

/**
 * Accepts the send of a request's principal durably, without waiting for its devices. Names the notification in the
 * response's header `X-Notification-Id`.
 */
export async function acceptSend(
  deps: AcceptSendDeps,
  { request, reply, parameters, audience: narrower }: AcceptSendInput,
): Promise<AcceptedSend> {
  const audience = narrower ?? toSenderAudience(getPrincipal(request));
  const input = { request, reply, parameters, audience, isAwaited: false };
  const { interaction } = parameters;
  if (interaction !== null) return takeOrder(deps, input, interaction);
  const { notificationId } = await startSend(deps, input);
  return { notificationId, response: ACCEPTED_RESPONSE, ids: {} };
}

async function startSend(
  deps: AcceptSendDeps,
  { request, reply, parameters, audience, isAwaited }: StartSendInput,
) {
  const { keyId, firstKeyId } = getPrincipal(request);
  const { draft, extras = null, ttlSeconds, idempotencyKey } = parameters;
  const sent = await send(deps, {
    draft,
    extras,
    ttlSeconds,
    idempotencyKey,
    keyId,
    senderId: firstKeyId,
    audience,
    isAwaited,
    readDeadline: new ReadDeadline(reply.elapsedTime),
    charge: (deviceCount) => deps.rateLimit.take(keyId, countFurtherRequests(deviceCount)),
  });
  if (sent.handedOver.kind === "mismatch") throw createIdempotencyError();
  reply.header("x-notification-id", sent.notificationId);
  setIgnoredFieldsHeader(reply, parameters);
  return sent;
}
