import { stated } from "#schema/stated.ts";
import type { SentByPerson } from "@tocsin/sdk";
import { Type } from "#schema/json-schema.ts";
import { AppError } from "#errors.ts";
import type { Authenticate } from "#http/authenticate.ts";
import { checkFieldNames } from "#http/closed-schema.ts";
import type { RateLimiter } from "#http/rate-limit.ts";
import { Nullable } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import { DEVICES_PER_REQUEST } from "../cost.ts";
import { readBefore, ReadDeadline } from "../read-deadline.ts";
import { parseJsonOrder } from "../request.ts";
import { NotificationBody, SAYS_SOMETHING, SendHeaders } from "../schema.ts";
import { send, type SendDeps } from "../send.ts";
import { audienceFor, parseAddressee } from "./addressee.ts";

export interface ByPersonDeps extends SendDeps {
  readonly authenticate: Authenticate;
  /** Shared with the notification API; an account counts as one key. */
  readonly rateLimit: RateLimiter;
}

const To = stated(
  Type.Object(
    {
      kind: Type.Enum(["account", "group", "device", "team"]),
      groupId: Type.Optional(Type.String()),
      deviceId: Type.Optional(Type.String()),
      teamId: Type.Optional(Type.String({ description: "Of which I am an owner or admin." })),
    },
    { description: "The recipients; by default, all my devices." },
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

/** Registers the operation that sends without a key. */
export function registerByPersonRoutes(server: Server, deps: ByPersonDeps): void {
  const schema = {
    operationId: "sendNotification",
    refusals: [404, 429],
    summary: "Send without a key, as the person who is signed in",
    description:
      "Answers as soon as it is stored; the live stream and `GET /notifications/{id}` have the result on each device.",
    tags: ["Delivery log"],
    headers: SendHeaders,
    body: stated(
      Type.Object({ ...NotificationBody.properties, to: Type.Optional(To) }),
      SAYS_SOMETHING,
    ),
    response: {
      201: Type.Object({
        id: Type.String(),
        deviceCount: Nullable(
          Type.Integer({ description: "null where there are more than 500 devices" }),
        ),
      }),
    },
  };
  server.route({
    method: "POST",
    url: "/api/app/v1/notifications",
    schema,
    // The schema only documents the values; the order's own parser checks them, as for requests with a key.
    validatorCompiler: checkFieldNames,
    handler: async (request, reply) => {
      const { accountId } = await readBefore(deps.context, deps.authenticate(request));
      deps.rateLimit.take(accountId, 1);
      const order = parseJsonOrder(request);
      const to = parseAddressee(request.body);
      const readDeadline = new ReadDeadline(reply.elapsedTime);
      const reading = audienceFor(deps.context, { accountId, to });
      const audience = await readDeadline.with(readBefore(deps.context, reading));
      const sent = await send(deps, {
        ...order,
        keyId: null,
        senderId: accountId,
        audience,
        isAwaited: true,
        readDeadline,
        onAudience: (count) =>
          deps.rateLimit.take(accountId, Math.floor(count / DEVICES_PER_REQUEST)),
      });
      if (sent.handedOver.kind === "mismatch") {
        const message = "This Idempotency-Key was used for other content. Use a new key.";
        throw new AppError("idempotency_mismatch", message, { field: "Idempotency-Key" });
      }
      const response: SentByPerson = {
        id: sent.notificationId,
        deviceCount: sent.targets?.length ?? null,
      };
      return reply.code(201).send(response);
    },
  });
}
