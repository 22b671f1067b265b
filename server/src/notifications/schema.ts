import { stated } from "#schema/stated.ts";
import { LIMITS } from "@tocsin/sdk";
import { BODY_PROPERTIES, QUERY_PROPERTIES } from "#content/schemas.ts";
import { Type } from "#schema/json-schema.ts";

/** Requires that the title or the body is not empty. */
export const SAYS_SOMETHING = {
  anyOf: [{ properties: { title: { minLength: 1 } } }, { properties: { body: { minLength: 1 } } }],
};

/** The body of a send, as the OpenAPI document shows it. `parseContent` checks it. */
export const NotificationBody = Type.Object(BODY_PROPERTIES, {
  ...SAYS_SOMETHING,
  description: 'One of title and body may be "", not both. Unknown fields are ignored.',
  examples: [{ title: "Backup finished", body: "3 files in 2 minutes" }],
});

/** The same fields in the query of a webhook URL. */
export const NotificationQuery = Type.Object(QUERY_PROPERTIES);

/** A number from 1 to 2,419,200, or an empty string. */
const TTL =
  "^(?:[1-9][0-9]{0,5}|1[0-9]{6}|2[0-3][0-9]{5}|240[0-9]{4}|241[0-8][0-9]{3}|2419[01][0-9]{2}|2419200)?$";

export const SendHeaders = Type.Object({
  "idempotency-key": Type.Optional(
    Type.String({
      maxLength: LIMITS.idempotencyKeyLength,
      description:
        "Remembered for 24 hours: repeating the same content returns its current result.",
    }),
  ),
  "x-ttl": Type.Optional(
    stated(
      Type.String({
        description: "Seconds to live, 1 to 2,419,200; default 86,400. After that nothing is sent.",
      }),
      { pattern: TTL },
    ),
  ),
});

export const SendAnswer = Type.Object({
  success: Type.Boolean(),
  message: Type.String(),
  responses: Type.Array(
    Type.Object({
      success: Type.Boolean(),
      message: Type.String({ description: "Begins with Queued while the server keeps trying." }),
    }),
  ),
});

export const AsyncAnswer = Type.Object({ success: Type.Boolean(), message: Type.String() });
