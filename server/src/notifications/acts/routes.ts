import type { ActName } from "@tocsin/sdk";
import type { ActingDevice, AuthenticateDevice } from "#http/authenticate-device.ts";
import type { RateLimiter } from "#http/rate-limit.ts";
import type { Server } from "#http/server.ts";
import { addDocumentedKeywords } from "#schema/documented-keywords.ts";
import { Type } from "#schema/json-schema.ts";
import {
  parseActRequest,
  type ActBody,
  type ActFields,
  type ActRequest,
  type ActResult,
} from "./act.ts";

/** One act of a device. Each room implements the acts on its own subjects. */
export interface ActHandler extends ActFields {
  /** Throws the same `not_found` for a subject that does not exist as for one that the device never received. */
  readonly perform: (device: ActingDevice, request: ActRequest) => Promise<ActResult>;
}

/** The dependencies of the route for the acts of devices. */
export interface ActRouteDeps {
  readonly authenticateDevice: AuthenticateDevice;
  /** Limits the acts of each device. */
  readonly rateLimiter: RateLimiter;
  /** The acts that the route offers. */
  readonly handlers: Readonly<Record<ActName, ActHandler>>;
}

/** The limit of notifications in one request. */
const NOTIFICATIONS_MAX = 50;
const ANSWER_LENGTH_MAX = 1_000;
const IdSchema = Type.String({ pattern: "^[A-Za-z0-9_-]{1,64}$" });

const FIELD_SCHEMAS = {
  incidentId: IdSchema,
  promptId: IdSchema,
  notificationIds: Type.Array(IdSchema, { minItems: 1, maxItems: NOTIFICATIONS_MAX }),
  answer: Type.String({ minLength: 1, maxLength: ANSWER_LENGTH_MAX }),
};

/** Registers the route for the acts of a device. It authenticates the device by its action key, without a session. */
export function registerActRoute(server: Server, deps: ActRouteDeps): void {
  const { authenticateDevice, rateLimiter, handlers } = deps;
  const schema = {
    operationId: "act",
    summary: "Act for the owner of a device, with its action key",
    description:
      "For the buttons of a notification, which must work after the session has ended. `read` marks notifications as read, `acknowledge` acknowledges an incident, `escalate` passes it on, `ring_again` makes it ring again, `answer` answers a prompt with one of its choices or with a text.",
    tags: ["Devices"],
    security: [{ deviceKey: [] }],
    errorStatuses: [404, 409, 429],
    body: createBodySchema(handlers),
    response: { 200: Type.Object({ success: Type.Literal(true), message: Type.String() }) },
  };
  server.post("/api/app/v1/acts", { schema }, async (request) => {
    const device = await authenticateDevice(request);
    rateLimiter.take(`device ${device.deviceId}`, 1);
    // The schema has checked the body. The schema is built from the handlers, so the type of the body names no fields.
    const body = request.body as unknown as ActBody;
    const handler = handlers[body.act];
    const { message } = await handler.perform(device, parseActRequest(body, handler));
    return { success: true as const, message };
  });
}

/** Returns the schema of the fields that the offered acts take. */
function createBodySchema(handlers: ActRouteDeps["handlers"]) {
  const acts = Object.entries(handlers);
  const offeredFields = acts.flatMap(([, { subjectField, needsAnswer }]) =>
    needsAnswer ? [subjectField, "answer"] : [subjectField],
  );
  const fieldSchemas = Object.entries(FIELD_SCHEMAS)
    .filter(([name]) => offeredFields.includes(name))
    .map(([name, schema]) => [name, Type.Optional(schema)]);
  const properties = {
    act: Type.Enum(acts.map(([name]) => name)),
    ...Object.fromEntries(fieldSchemas),
  };
  const rules = acts.map(([name, { subjectField, needsAnswer }]) => ({
    properties: { act: { const: name } },
    required: ["act", subjectField, ...(needsAnswer ? ["answer"] : [])],
  }));
  return addDocumentedKeywords(Type.Object(properties), { oneOf: rules });
}
