import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "#schema/json-schema.ts";
import type { Audience } from "#devices/audiences/audience.ts";
import { AppError } from "#errors.ts";
import { authenticateKey, principalOf, type FindPrincipal } from "#http/authenticate.ts";
import type { RateLimiter } from "#http/rate-limit.ts";
import type { Server } from "#http/server.ts";
import { audienceOf, groupAudience } from "./audience.ts";
import { awaitResults, type AwaitDeps } from "./await-results.ts";
import { DEVICES_PER_REQUEST } from "./cost.ts";
import { readBefore, ReadDeadline } from "./read-deadline.ts";
import { isPreview } from "./preview.ts";
import { parseJsonOrder, parseWebhookOrder, type SendOrder } from "./request.ts";
import { AsyncAnswer, SendAnswer } from "./schema.ts";
import { NotificationBody, NotificationQuery, SendHeaders } from "./schema.ts";
import { send } from "./send.ts";

export interface NotificationRouteDeps extends AwaitDeps {
  readonly findPrincipal: FindPrincipal;
  readonly rateLimit: RateLimiter;
}

/** Registers the notification API (section 4 of the specification). */
export function registerNotificationRoutes(server: Server, deps: NotificationRouteDeps): void {
  registerHeaderKeyRoutes(server, deps);
  registerPathKeyRoutes(server, deps);
}

const JSON_SEND = { headers: SendHeaders, body: NotificationBody, tags: ["Notifications"] };
const IN_HEADER = [{ apiKey: [] }];
const IN_PATH = { params: Type.Object({ apiKey: Type.String() }), security: [] };

/** The schemas only document the values; the order's own parser checks them. */
const unchecked = () => () => true;

function registerHeaderKeyRoutes(server: Server, deps: NotificationRouteDeps): void {
  const onRequest = authenticateBy(deps, () => undefined);
  const common = { ...JSON_SEND, security: IN_HEADER };
  server.route({
    method: "POST",
    url: "/api/v1/notify",
    schema: {
      ...common,
      operationId: "notify",
      summary: "Send and get the result per device",
      response: { 200: SendAnswer },
    },
    validatorCompiler: unchecked,
    onRequest,
    handler: async (request, reply) =>
      sendAndAwait(deps, { request, reply, order: parseJsonOrder(request) }),
  });
  server.route({
    method: "POST",
    url: "/api/v1/notify-async",
    schema: {
      ...common,
      operationId: "notifyAsync",
      summary: "Send and get an acknowledgement once it is stored",
      response: { 200: AsyncAnswer },
    },
    validatorCompiler: unchecked,
    onRequest,
    handler: async (request, reply) => sendWithoutWaiting(deps, request, reply),
  });
  server.route({
    method: "POST",
    url: "/api/v1/notify/group/:groupId",
    schema: {
      ...common,
      operationId: "notifyGroup",
      summary: "Send to the devices of one group of the account",
      params: Type.Object({ groupId: Type.String() }),
      response: { 200: SendAnswer },
    },
    validatorCompiler: unchecked,
    onRequest,
    handler: async (request, reply) => {
      const { groupId } = request.params;
      const sender = principalOf(request);
      const order = parseJsonOrder(request);
      const readDeadline = new ReadDeadline(reply.elapsedTime);
      const reading = groupAudience(deps.context, { sender, groupId });
      const audience = await readDeadline.with(readBefore(deps.context, reading));
      return sendAndAwait(deps, { request, reply, order, audience });
    },
  });
}

function registerPathKeyRoutes(server: Server, deps: NotificationRouteDeps): void {
  const onRequest = [forbidIndexing, authenticateBy(deps, pathKeyOf)];
  server.route({
    method: "POST",
    url: "/api/v1/notify/:apiKey",
    schema: {
      ...JSON_SEND,
      ...IN_PATH,
      operationId: "notifyWithKey",
      summary: "Send with the key in the path; the URL is a secret",
      response: { 200: SendAnswer },
    },
    validatorCompiler: unchecked,
    onRequest,
    handler: async (request, reply) =>
      sendAndAwait(deps, { request, reply, order: parseWebhookOrder(request) }),
  });
  server.route({
    method: "GET",
    url: "/api/v1/notify/:apiKey",
    schema: {
      ...IN_PATH,
      headers: SendHeaders,
      querystring: NotificationQuery,
      tags: ["Notifications"],
      operationId: "notifyWebhook",
      summary: "Send by opening a URL; the URL is a secret",
      description: "A key that allows POST only refuses it: 400 `post_only`.",
      response: { 200: SendAnswer },
    },
    validatorCompiler: unchecked,
    onRequest,
    handler: async (request, reply) => {
      refusePostOnly(request);
      refusePreview(request);
      return sendAndAwait(deps, { request, reply, order: parseWebhookOrder(request) });
    },
  });
  server.route({
    method: "HEAD",
    url: "/api/v1/notify/:apiKey",
    schema: { hide: true },
    onRequest,
    handler: async (request, reply) => {
      refusePostOnly(request);
      refusePreview(request);
      parseWebhookOrder(request);
      // Services probe webhook URLs with HEAD. It shows whether a GET would be accepted, and never sends.
      return reply.code(200).send();
    },
  });
}

/** Authenticates before the body is read, and counts the request against its key. */
function authenticateBy(
  { context, findPrincipal, rateLimit, delivery }: NotificationRouteDeps,
  keyOf: (request: FastifyRequest) => string | undefined,
) {
  return async (request: FastifyRequest): Promise<void> => {
    const finding = authenticateKey(findPrincipal, request, keyOf(request));
    request.principal = await readBefore(context, finding);
    rateLimit.take(request.principal.keyId, 1);
    delivery.giveWay();
  };
}

function pathKeyOf(request: FastifyRequest): string {
  // The route's pattern has this parameter.
  return (request.params as { readonly apiKey: string }).apiKey;
}

/** Keeps search engines from indexing a URL that is a secret. */
async function forbidIndexing(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.header("x-robots-tag", "noindex");
}

/** Some programs open links without identifying themselves, so a key may refuse all GET requests. */
function refusePostOnly(request: FastifyRequest): void {
  if (!principalOf(request).isPostOnly) return;
  const message =
    "This key allows POST only; nothing was sent. Use POST, or allow GET for the key in the console.";
  throw new AppError("post_only", message);
}

function refusePreview(request: FastifyRequest): void {
  if (!isPreview(request.headers)) return;
  const message = "This looks like a link preview or prefetch; nothing was sent. Use POST to send.";
  throw new AppError("preview_blocked", message);
}

interface SendCall {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly order: SendOrder;
  readonly audience?: Audience;
}

async function sendAndAwait(deps: NotificationRouteDeps, input: SendCall) {
  const audience = input.audience ?? audienceOf(principalOf(input.request));
  const sent = await startSend(deps, { ...input, audience, isAwaited: true });
  // The wait counts from the request and not from the commit.
  const syncWaitMs = Math.max(0, deps.syncWaitMs - input.reply.elapsedTime);
  return awaitResults({ ...deps, syncWaitMs }, { audience, sent });
}

async function sendWithoutWaiting(
  deps: NotificationRouteDeps,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const audience = audienceOf(principalOf(request));
  await startSend(deps, {
    request,
    reply,
    order: parseJsonOrder(request),
    audience,
    isAwaited: false,
  });
  return { success: true, message: "Notification accepted" };
}

async function startSend(
  deps: NotificationRouteDeps,
  { request, reply, order, audience, isAwaited }: Required<SendCall> & { isAwaited: boolean },
) {
  const { keyId, firstKeyId } = principalOf(request);
  const sent = await send(deps, {
    ...order,
    keyId,
    senderId: firstKeyId,
    audience,
    isAwaited,
    readDeadline: new ReadDeadline(reply.elapsedTime),
    onAudience: (count) => deps.rateLimit.take(keyId, Math.floor(count / DEVICES_PER_REQUEST)),
  });
  if (sent.handedOver.kind === "mismatch") {
    const message = "This Idempotency-Key was used for other content. Use a new key.";
    throw new AppError("idempotency_mismatch", message, { field: "Idempotency-Key" });
  }
  reply.header("x-notification-id", sent.notificationId);
  return sent;
}
