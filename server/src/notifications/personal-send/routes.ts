import type { FastifyRequest } from "fastify";
import { addDocumentedKeywords } from "#schema/documented-keywords.ts";
import { PRIORITIES, type PersonalSendResult } from "@tocsin/sdk";
import { Type } from "#schema/json-schema.ts";
import { invalidField } from "#errors.ts";
import type { Authenticate, Person } from "#http/authenticate.ts";
import { compileFieldNameValidator } from "#http/closed-schema.ts";
import type { RateLimiter } from "#http/rate-limit.ts";
import { Nullable } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import { createDeviceCharge } from "../charge.ts";
import { pickOrderIds, type OrderOrigin, type SendOrder, type TakeOrder } from "../order.ts";
import { readBeforeCommit, ReadDeadline } from "../read-deadline.ts";
import { parseJsonSend, type SendParameters, type SendRequest } from "../request.ts";
import { NotificationBodySchema, TEXT_REQUIREMENT, SendHeadersSchema } from "../schema.ts";
import { createIdempotencyError, send, type SendDeps } from "../send.ts";
import { findAddresseeAudience, parseAddressee } from "./addressee.ts";

/** The dependencies of the route that sends without a key. */
export interface PersonalSendRouteDeps extends SendDeps {
  readonly authenticate: Authenticate;
  /** Shared with the notification API; an account counts as one key. */
  readonly rateLimiter: RateLimiter;
  readonly takeOrder: TakeOrder;
}

const AddresseeSchema = addDocumentedKeywords(
  Type.Object(
    {
      kind: Type.Enum(["account", "group", "device", "team"]),
      groupId: Type.Optional(Type.String()),
      deviceId: Type.Optional(Type.String()),
      teamId: Type.Optional(
        Type.String({ description: "A team of which I am an owner or admin." }),
      ),
    },
    { description: "The addressee; by default, all my devices." },
  ),
  {
    anyOf: [
      { properties: { kind: { const: "account" } } },
      {
        properties: { kind: { const: "group" }, groupId: { minLength: 1 } },
        required: ["groupId"],
      },
      {
        properties: { kind: { const: "device" }, deviceId: { minLength: 1 } },
        required: ["deviceId"],
      },
      { properties: { kind: { const: "team" }, teamId: { minLength: 1 } }, required: ["teamId"] },
    ],
  },
);

const SentSchema = Type.Object({
  id: Nullable(
    Type.String({
      description: "Null, with the status 200, for an act if no open incident has its key.",
    }),
  ),
  deviceCount: Nullable(Type.Integer({ description: "Null if there are more than 500 devices." })),
  incidentId: Type.Optional(Type.String()),
  promptId: Type.Optional(Type.String()),
  message: Type.Optional(
    Type.String({ description: "What became of a send that asks somebody to act." }),
  ),
});

/** Registers the route that sends without a key. */
export function registerPersonalSendRoute(server: Server, deps: PersonalSendRouteDeps): void {
  const schema = {
    operationId: "sendNotification",
    errorStatuses: [404, 429],
    summary: "Send without a key, as the signed-in person",
    description:
      "Responds as soon as the notification is stored. The live stream and `GET /notifications/{id}` report the result for each device.",
    tags: ["Delivery log"],
    headers: SendHeadersSchema,
    body: addDocumentedKeywords(
      Type.Object({ ...NotificationBodySchema.properties, to: Type.Optional(AddresseeSchema) }),
      TEXT_REQUIREMENT,
    ),
    response: { 200: SentSchema, 201: SentSchema },
  };
  server.route({
    method: "POST",
    url: "/api/app/v1/notifications",
    schema,
    // The schema only documents the values. `parseJsonSend` and `parseAddressee` check them, as for requests with a
    // key.
    validatorCompiler: compileFieldNameValidator,
    handler: async (request, reply) => {
      const sent = await sendAsPerson(deps, request, new ReadDeadline(reply.elapsedTime));
      return reply.code(sent.id === null ? 200 : 201).send(sent);
    },
  });
}

async function sendAsPerson(
  deps: PersonalSendRouteDeps,
  request: FastifyRequest,
  readDeadline: ReadDeadline,
): Promise<PersonalSendResult> {
  const { context, authenticate, rateLimiter } = deps;
  const person = await readBeforeCommit(context, authenticate(request));
  const { accountId } = person;
  rateLimiter.take(accountId, 1);
  const parameters = parseStrictSend(request);
  const { draft, ttlSeconds, idempotencyKey, interaction } = parameters;
  const to = parseAddressee(request.body);
  const audienceRead = findAddresseeAudience(context, { accountId, to });
  const audience = await readDeadline.enforce(readBeforeCommit(context, audienceRead));
  const charge = createDeviceCharge((count) => rateLimiter.take(accountId, count));
  if (interaction !== null) {
    const origin = createOrigin(request, person);
    return takePersonalOrder(deps, {
      accountId,
      origin,
      audience,
      parameters,
      interaction,
      charge,
    });
  }
  const sent = await send(deps, {
    draft,
    ttlSeconds,
    idempotencyKey,
    keyId: null,
    senderId: accountId,
    audience,
    // The person watches the results in the live stream, so the send has the priority of awaited sends.
    isAwaited: true,
    readDeadline,
    charge,
  });
  if (sent.handedOver.kind === "mismatch") throw createIdempotencyError();
  return { id: sent.notificationId, deviceCount: sent.targets?.length ?? null };
}

interface PersonalOrder extends Pick<
  SendOrder,
  "audience" | "parameters" | "interaction" | "charge"
> {
  readonly accountId: string;
  readonly origin: OrderOrigin;
}

function createOrigin(request: FastifyRequest, { session, accessTokenId }: Person): OrderOrigin {
  const credential =
    session === null
      ? ({ kind: "access_token", id: accessTokenId } as const)
      : ({ kind: "session", id: session.id } as const);
  return { ip: request.ip, userAgent: request.headers["user-agent"], credential };
}

/** Lets the incidents or the prompts room take a send that asks somebody to act. */
async function takePersonalOrder(
  { takeOrder }: PersonalSendRouteDeps,
  { accountId, origin, audience, parameters, interaction, charge }: PersonalOrder,
): Promise<PersonalSendResult> {
  const teamId = audience.kind === "team" ? audience.teamId : null;
  const sender = { keyId: null, sourceId: accountId, accountId, teamId, origin };
  const order = { sender, audience, parameters, interaction, isAwaited: false, waitMs: 0, charge };
  const sent = await takeOrder(order);
  const { notificationId, textNotificationId = null, deviceCount } = sent;
  const id = notificationId ?? textNotificationId;
  return { id, deviceCount, ...pickOrderIds(sent), message: sent.response.message };
}

/** Returns the parameters of a send. Unlike a send with a key, throws `invalid_field` for an unknown priority. */
function parseStrictSend(request: SendRequest): SendParameters {
  const parameters = parseJsonSend(request);
  const [ignoredField] = parameters.ignoredFields;
  if (ignoredField === undefined) return parameters;
  throw invalidField(ignoredField, `${ignoredField} must be one of ${PRIORITIES.join(", ")}.`);
}
