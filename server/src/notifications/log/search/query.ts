import { addDocumentedKeywords } from "#schema/documented-keywords.ts";
import { CHANNEL_PATTERN, DELIVERY_STATE_GROUPS, type DeliveryStateGroup } from "@tocsin/sdk";
import { Type, type Static } from "#schema/json-schema.ts";
import { invalidField } from "#errors.ts";
import { TIMESTAMP_KEYWORDS, parseTimestamp } from "#schema/timestamp.ts";
import type { LogFilter } from "./store.ts";

const TEXT_LENGTH_MAX = 100;

const IdSchema = Type.String({ pattern: "^[A-Za-z0-9_-]{1,64}$" });
const TimeSchema = addDocumentedKeywords(
  Type.String({ description: "RFC 3339." }),
  TIMESTAMP_KEYWORDS,
);

/** The schema of a delivery's result, in a query for notifications. */
export const DeliveryStateQuerySchema = Type.Enum(Object.keys(DELIVERY_STATE_GROUPS), {
  description: "Returns only notifications with at least one such delivery.",
});

/** The schema of the delivery log's filters. */
export const FilterQuerySchema = Type.Object({
  state: Type.Optional(DeliveryStateQuerySchema),
  channel: Type.Optional(Type.String({ pattern: CHANNEL_PATTERN })),
  key: Type.Optional({
    ...IdSchema,
    description: "Returns only what was sent with the key of this id; `none` means without a key.",
  }),
  device: Type.Optional(IdSchema),
  code: Type.Optional(
    Type.String({
      pattern: "^[a-z0-9_]{1,64}$",
      description:
        "Returns only notifications with a delivery that ended for this reason, such as `device_gone`.",
    }),
  ),
  q: Type.Optional(
    Type.String({
      maxLength: TEXT_LENGTH_MAX,
      description: "Returns only notifications that have this text in the title or body.",
    }),
  ),
  from: Type.Optional(TimeSchema),
  to: Type.Optional(TimeSchema),
});

/** Returns the filter of a query; throws `invalid_field` for a malformed time. */
export function parseFilter(query: Static<typeof FilterQuerySchema>): LogFilter {
  const { state = null, channel = null, key = null, device = null, code = null, q = "" } = query;
  const text = q.trim();
  return {
    stateFilter: parseStateFilter(state),
    channel,
    keyId: key,
    deviceId: device,
    code,
    text: text === "" ? null : text,
    fromAt: parseTime("from", query.from),
    untilAt: parseTime("to", query.to),
  };
}

/** Returns the result in the parameter `state`; null if there is none. */
export function parseStateFilter(state: string | null | undefined): DeliveryStateGroup | null {
  // The schema has checked it.
  return (state ?? null) as DeliveryStateGroup | null;
}

function parseTime(field: string, value: string | undefined): number | null {
  if (value === undefined || value === "") return null;
  const at = parseTimestamp(value);
  if (at !== null) return at;
  throw invalidField(field, `${field} must be a timestamp such as 2026-05-04T09:30:00Z.`);
}
