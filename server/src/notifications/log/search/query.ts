import { stated } from "#schema/stated.ts";
import { DELIVERY_FATES, type DeliveryFate } from "@tocsin/sdk";
import { Type, type Static } from "#schema/json-schema.ts";
import { invalidField } from "#errors.ts";
import { MOMENT_KEYWORDS, parseMoment } from "#schema/moment.ts";
import type { LogFilter } from "./store.ts";

const TEXT_MAX = 100;

const Id = Type.String({ pattern: "^[A-Za-z0-9_-]{1,64}$" });
const Time = stated(Type.String({ description: "RFC 3339." }), MOMENT_KEYWORDS);

/** The result of a delivery, in a query. */
export const FateQuery = Type.Enum(Object.keys(DELIVERY_FATES), {
  description: "Notifications with at least one such delivery.",
});

/** The filters of the delivery log. */
export const FilterQuery = Type.Object({
  state: Type.Optional(FateQuery),
  channel: Type.Optional(Type.String({ pattern: "^[A-Za-z0-9-]{1,64}$" })),
  key: Type.Optional({
    ...Id,
    description: "The id of the key; `none` for what was sent without one.",
  }),
  device: Type.Optional(Id),
  code: Type.Optional(
    Type.String({
      pattern: "^[a-z0-9_]{1,64}$",
      description: "Why a delivery ended as it did, such as `device_gone`.",
    }),
  ),
  q: Type.Optional(Type.String({ maxLength: TEXT_MAX, description: "Text in the title or body." })),
  from: Type.Optional(Time),
  to: Type.Optional(Time),
});

/** Returns the filter of a query; throws `invalid_field` for a malformed time. */
export function parseFilter(query: Static<typeof FilterQuery>): LogFilter {
  const { state = null, channel = null, key = null, device = null, code = null, q = "" } = query;
  const text = q.trim();
  return {
    fate: parseFate(state),
    channel,
    keyId: key,
    deviceId: device,
    code,
    text: text === "" ? null : text,
    from: parseTime("from", query.from),
    to: parseTime("to", query.to),
  };
}

/** Returns the delivery outcome in the parameter `state`; null if there is none. */
export function parseFate(state: string | null | undefined): DeliveryFate | null {
  // The schema has checked it.
  return (state ?? null) as DeliveryFate | null;
}

function parseTime(field: string, value: string | undefined): number | null {
  if (value === undefined || value === "") return null;
  const at = parseMoment(value);
  if (at !== null) return at;
  throw invalidField(field, `${field} must be a moment such as 2026-05-04T09:30:00Z.`);
}
