import { ACCOUNT_TARGET_KINDS, LIMITS, TEAM_TARGET_KINDS, TEST_OMISSIONS } from "@tocsin/sdk";
import { addDocumentedKeywords } from "#schema/documented-keywords.ts";
import { Type } from "#schema/json-schema.ts";
import { MEMBER_ID_DESCRIPTION } from "#teams/schemas.ts";
import { Nullable, Timestamp } from "../schemas.ts";
import { TARGET_ID_LENGTH_MAX } from "./parse-steps.ts";

const AfterSeconds = addDocumentedKeywords(
  Type.Integer({ description: "Seconds from the trigger of the incident." }),
  { minimum: 0, maximum: LIMITS.escalationSecondsMax },
);

/** The reminder of a policy. */
export const ReminderSchema = Nullable(
  addDocumentedKeywords(
    Type.Integer({
      description:
        "Seconds from an acknowledgement until an incident that is not resolved rings again.",
    }),
    { minimum: LIMITS.remindSecondsMin, maximum: LIMITS.remindSecondsMax },
  ),
);

const documentTarget = (kinds: readonly string[], idName: string | null, description: string) => ({
  type: "object",
  description,
  required: idName === null ? ["kind"] : ["kind", idName],
  properties: {
    kind: { enum: kinds },
    ...(idName === null
      ? {}
      : { [idName]: { type: "string", minLength: 1, maxLength: TARGET_ID_LENGTH_MAX } }),
  },
  additionalProperties: false,
});

/**
 * The schema of the steps in a request. It only documents them: `parseSteps` checks them, and names the wrong part more
 * exactly.
 */
export const StepsSchema = addDocumentedKeywords(
  Type.Unsafe<unknown>({
    description:
      "The first step is at 0 seconds, and each further one later than the step before it.",
  }),
  {
    type: "array",
    minItems: 1,
    maxItems: LIMITS.escalationSteps,
    items: {
      type: "object",
      required: ["afterSeconds", "targets"],
      additionalProperties: false,
      properties: {
        afterSeconds: { type: "integer", minimum: 0, maximum: LIMITS.escalationSecondsMax },
        targets: {
          type: "array",
          minItems: 1,
          maxItems: LIMITS.escalationTargetsPerStep,
          uniqueItems: true,
          items: {
            anyOf: [
              documentTarget(["group"], "groupId", "One of my device groups."),
              documentTarget(["device"], "deviceId", "One of my devices."),
              documentTarget(["me"], null, "All my devices, in my own policies."),
              documentTarget(["member"], "accountId", "A member, in policies of a team."),
              documentTarget(["team"], null, "All members, in policies of a team."),
              documentTarget(["mail"], "accountId", "An email to a member of the team."),
              documentTarget(["mail"], null, "An email to me."),
              documentTarget(["callback"], null, "The callback URL of the send."),
            ],
          },
        },
      },
    },
  },
);

const TargetFields = {
  kind: Type.Enum([...new Set([...ACCOUNT_TARGET_KINDS, ...TEAM_TARGET_KINDS])]),
  groupId: Type.Optional(Type.String()),
  deviceId: Type.Optional(Type.String()),
  accountId: Type.Optional(Type.String({ description: MEMBER_ID_DESCRIPTION })),
};

/** The schema of a target with the devices and people that it reaches now. */
export const ReachedTargetSchema = Type.Object({
  ...TargetFields,
  name: Nullable(
    Type.String({
      description:
        "The name of the group, device, person or team; null for a group or device of another member.",
    }),
  ),
  ownerName: Type.Optional(
    Type.String({
      description: "The member to whom the group or device in a policy of a team belongs.",
    }),
  ),
  missing: Type.Boolean({ description: "The group, device or member no longer exists." }),
  deviceCount: Type.Integer({ description: "The devices that it would ring now." }),
  personCount: Type.Integer({ description: "The people that it would reach now." }),
  reachesNobody: Type.Boolean({ description: "It would reach nobody now." }),
});

/** The schema of the result of a test. */
export const PolicyTestSchema = Type.Object({
  deviceCount: Type.Integer({ description: "The devices to which the test is sent." }),
  personCount: Type.Integer({ description: "The people to whom these devices belong." }),
  targets: Type.Array(
    Type.Object({
      ...ReachedTargetSchema.properties,
      omission: Nullable(
        Type.Enum([...TEST_OMISSIONS], {
          description:
            "Why the test leaves the target out: `missing` (it no longer exists), `no_device` (it has no device that is not paused), `unsupported` (a test sends no email and calls nothing back). Null if it is notified.",
        }),
      ),
    }),
    { description: "The targets of the first step." },
  ),
  message: Type.String({ description: "The result in English." }),
});

const PolicyFields = {
  remindAfterSeconds: ReminderSchema,
  createdAt: Timestamp,
  updatedAt: Timestamp,
};

/** The schema of a policy. */
export const PolicySchema = Type.Object({
  id: Type.String(),
  teamId: Nullable(Type.String({ description: "Null for my own policy." })),
  name: Type.String(),
  steps: Type.Array(
    Type.Object({ afterSeconds: AfterSeconds, targets: Type.Array(ReachedTargetSchema) }),
  ),
  ...PolicyFields,
});

/** The schema of a policy in the export of an account. */
export const ExportedPolicySchema = Type.Object({
  id: Type.String(),
  name: Type.String(),
  steps: Type.Array(
    Type.Object({ afterSeconds: AfterSeconds, targets: Type.Array(Type.Object(TargetFields)) }),
  ),
  ...PolicyFields,
});
