import { ACT_MEANS, INCIDENT_STATES, PRIORITIES } from "@tocsin/sdk";
import { Type, type TSchema } from "#schema/json-schema.ts";
import { HISTORY_KINDS } from "./decision.ts";

/** The schema of a time: an RFC 3339 string in UTC. */
export const Timestamp = Type.String({ format: "date-time" });

/** Returns the schema of a value that may be null. */
export function Nullable<T extends TSchema>(type: T) {
  return Type.Union([type, Type.Null()]);
}

const ActSchema = Type.Object({
  at: Timestamp,
  via: Type.Enum([...ACT_MEANS]),
  name: Nullable(
    Type.String({ description: "Null for a key, for the server, and for a deleted account." }),
  ),
  deviceName: Nullable(Type.String()),
});

const ReceiptProperties = {
  id: Type.String(),
  incidentKey: Nullable(Type.String()),
  state: Type.Enum([...INCIDENT_STATES]),
  priority: Type.Enum([...PRIORITIES]),
  title: Type.String(),
  openedAt: Timestamp,
  lastTriggerAt: Timestamp,
  occurrences: Type.Integer({ description: "The number of triggers." }),
  step: Type.Integer({ description: "The number of steps of the policy that are reached." }),
  round: Type.Integer({ description: "The number of rounds so far." }),
  expiresAt: Nullable(Timestamp),
  acknowledgement: Nullable(ActSchema),
  resolution: Nullable(ActSchema),
};

/** The schema of an incident as its sender sees it. */
export const ReceiptSchema = Type.Object(ReceiptProperties);

const IncidentProperties = {
  ...ReceiptProperties,
  channel: Type.String(),
  teamId: Nullable(Type.String()),
  teamName: Nullable(Type.String()),
  notificationId: Type.String({ description: "The notification with the latest text." }),
  policyName: Nullable(Type.String()),
  stepCount: Type.Integer({ description: "The number of steps of the policy; 1 without one." }),
  nextRoundAt: Nullable(Timestamp),
  nextStepAt: Nullable(Timestamp),
};

/** The schema of an incident as the link in an alarm email shows it. */
export const LinkedIncidentSchema = Type.Object({
  title: Type.String(),
  state: ReceiptProperties.state,
  openedAt: Timestamp,
  occurrences: ReceiptProperties.occurrences,
  acknowledgement: Nullable(ActSchema),
  resolution: Nullable(ActSchema),
});

/** The schema of an incident as the people who were told of it see it. */
export const IncidentSchema = Type.Object(IncidentProperties);

const HistoryEntrySchema = Type.Object({
  id: Type.String(),
  kind: Type.Enum([...HISTORY_KINDS, "push", "mail", "callback_failed"]),
  at: Timestamp,
  act: Nullable(ActSchema),
  notificationId: Nullable(Type.String()),
  detail: Type.Unsafe<Readonly<Record<string, string | number | boolean>>>({
    type: "object",
    additionalProperties: {
      anyOf: [{ type: "string" }, { type: "number" }, { type: "boolean" }],
    },
    description: "Facts such as the number of a step, a round or a delay in milliseconds.",
  }),
});

/** The schema of an incident in the export of an account, with its whole history. */
export const ExportedIncidentSchema = Type.Object({
  ...IncidentProperties,
  history: Type.Immutable(Type.Array(HistoryEntrySchema)),
});

/** The schema of an act of an account in its export. */
export const ExportedActSchema = Type.Object({
  id: Type.String(),
  incidentId: Type.String(),
  kind: HistoryEntrySchema.properties.kind,
  at: Timestamp,
  via: ActSchema.properties.via,
  note: Nullable(Type.String()),
});

/** Returns the schema of an incident with its history and the notifications that it pushed. */
export function createIncidentDetailSchema<Schema extends Parameters<typeof Type.Array>[0]>(
  notification: Schema,
) {
  return Type.Object({
    ...IncidentProperties,
    history: Type.Immutable(
      Type.Array(HistoryEntrySchema, { description: "The latest 100 entries, the oldest first." }),
    ),
    earlierCursor: Nullable(
      Type.String({ description: "The `cursor` that shows the entries before these." }),
    ),
    notifications: Type.Array(notification, {
      description: "The notifications that these entries pushed.",
    }),
  });
}

/** Returns the schema of an incident after an act. */
export function createActedSchema<Schema extends Parameters<typeof Type.Array>[0]>(
  incident: Schema,
) {
  return Type.Object({
    isChanged: Type.Boolean({ description: "False if it was in this state before." }),
    message: Type.String(),
    incident,
  });
}
