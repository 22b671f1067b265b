import { addDocumentedKeywords } from "#schema/documented-keywords.ts";
import { AUDIT_ACTIONS, AUDIT_ACTORS, type AuditAction } from "@tocsin/sdk";
import { Type, type Static } from "#schema/json-schema.ts";
import type { EventFilter } from "#audit/store.ts";
import { invalidField } from "#errors.ts";
import { TIMESTAMP_KEYWORDS, parseTimestamp } from "#schema/timestamp.ts";

const NullableText = Type.Union([Type.String(), Type.Null()]);

/** An event as the API returns it. */
export const AuditEventResponse = Type.Object({
  id: Type.String(),
  createdAt: Type.String({ format: "date-time" }),
  action: Type.Enum([...AUDIT_ACTIONS]),
  actor: Type.Object({
    kind: Type.Enum([...AUDIT_ACTORS]),
    accountId: NullableText,
    accountName: NullableText,
    credentialId: NullableText,
  }),
  accountId: Type.Union([Type.String(), Type.Null()], {
    description:
      "The account that was affected. Null in the caller's own list if it is another person's account.",
  }),
  accountName: NullableText,
  teamId: NullableText,
  subjectId: NullableText,
  changes: Type.Immutable(
    Type.Array(Type.Object({ name: Type.String(), before: NullableText, after: NullableText })),
  ),
  address: Type.Union([Type.String(), Type.Null()], { description: "Erased after 30 days." }),
  userAgent: NullableText,
});

/** The filters of every list of events, in addition to the parameters of its page. */
export const AuditQuery = Type.Object({
  action: Type.Optional(
    addDocumentedKeywords(Type.String({ description: "Returns only events of this action." }), {
      enum: AUDIT_ACTIONS,
    }),
  ),
  since: Type.Optional(
    addDocumentedKeywords(
      Type.String({
        description: "Returns only events at or after this time, in the format of RFC 3339.",
      }),
      TIMESTAMP_KEYWORDS,
    ),
  ),
  until: Type.Optional(
    addDocumentedKeywords(
      Type.String({
        description: "Returns only events before this time, in the format of RFC 3339.",
      }),
      TIMESTAMP_KEYWORDS,
    ),
  ),
});

/** Parses the filters of a query. Throws `invalid_field` for an unknown action or a malformed time. */
export function parseAuditQuery(
  query: Static<typeof AuditQuery>,
): Pick<EventFilter, "action" | "since" | "until"> {
  const { action, since, until } = query;
  return {
    action: action === undefined ? null : parseAction(action),
    since: since === undefined ? null : requireTimestamp("since", since),
    until: until === undefined ? null : requireTimestamp("until", until),
  };
}

function parseAction(text: string): AuditAction {
  const action = AUDIT_ACTIONS.find((candidate) => candidate === text);
  if (action !== undefined) return action;
  throw invalidField("action", "action must be an action of the audit log, such as signed_in.");
}

function requireTimestamp(field: string, text: string): number {
  const time = parseTimestamp(text);
  if (time !== null) return time;
  throw invalidField(field, `${field} must be a time such as 2026-01-31T12:00:00Z.`);
}
