import { addDocumentedKeywords } from "#schema/documented-keywords.ts";
import { LIMITS } from "@tocsin/sdk";
import { CONTENT_BODY_PROPERTIES, CONTENT_QUERY_PROPERTIES } from "#content/schemas.ts";
import { Type } from "#schema/json-schema.ts";
import { INTERACTION_BODY_PROPERTIES, INTERACTION_QUERY_PROPERTIES } from "./interaction-schema.ts";

/** The JSON schema keywords that require a title or a body. */
export const TEXT_REQUIREMENT = {
  anyOf: [{ properties: { title: { minLength: 1 } } }, { properties: { body: { minLength: 1 } } }],
};

/** The schema of the body of a send, for the OpenAPI document. `parseContent` checks the body. */
export const NotificationBodySchema = Type.Object(
  { ...CONTENT_BODY_PROPERTIES, ...INTERACTION_BODY_PROPERTIES },
  {
    ...TEXT_REQUIREMENT,
    description: 'One of title and body may be "", not both. Unknown fields are ignored.',
    examples: [{ title: "Backup finished", body: "3 files in 2 minutes" }],
  },
);

/** The schema of the same fields in the query of a webhook URL. */
export const NotificationQuerySchema = Type.Object({
  ...CONTENT_QUERY_PROPERTIES,
  ...INTERACTION_QUERY_PROPERTIES,
});

/** A number from 1 to 2,419,200, or an empty string. */
const TTL_PATTERN =
  "^(?:[1-9][0-9]{0,5}|1[0-9]{6}|2[0-3][0-9]{5}|240[0-9]{4}|241[0-8][0-9]{3}|2419[01][0-9]{2}|2419200)?$";

/** The schema of the optional request headers of a send. */
export const SendHeadersSchema = Type.Object({
  "idempotency-key": Type.Optional(
    Type.String({
      maxLength: LIMITS.idempotencyKeyLength,
      description:
        "Remembered for 24 hours: repeating the same content returns its current result.",
    }),
  ),
  "x-ttl": Type.Optional(
    addDocumentedKeywords(
      Type.String({
        description: "Seconds to live, 1 to 2,419,200; default 86,400. After that nothing is sent.",
      }),
      { pattern: TTL_PATTERN },
    ),
  ),
});

/** The ids in the response to a send that asks somebody to act. */
const ORDER_ID_PROPERTIES = {
  incidentId: Type.Optional(Type.String({ description: "Only if the send names an incident." })),
  promptId: Type.Optional(Type.String({ description: "Only if the notification is a prompt." })),
};

/** The schema of the response to a synchronous send. */
export const SendResponseSchema = Type.Object({
  success: Type.Boolean(),
  message: Type.String(),
  responses: Type.Array(
    Type.Object({
      success: Type.Boolean(),
      message: Type.String({ description: "Begins with Queued while the server keeps trying." }),
    }),
  ),
  ...ORDER_ID_PROPERTIES,
});

/** The schema of the response to an asynchronous send. */
export const AsyncSendResponseSchema = Type.Object({
  success: Type.Boolean(),
  message: Type.String(),
  ...ORDER_ID_PROPERTIES,
});
