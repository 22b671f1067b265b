import { ACT_MEANS, PRIORITIES, PROMPT_STATES } from "@tocsin/sdk";
import { Nullable, Timestamp } from "#incidents/schemas.ts";
import { Type } from "#schema/json-schema.ts";

const AnswerSchema = Type.Object({
  choice: Nullable(Type.String()),
  text: Nullable(Type.String()),
  at: Timestamp,
  via: Type.Enum([...ACT_MEANS]),
  name: Nullable(Type.String({ description: "Null for a deleted account." })),
  deviceName: Nullable(Type.String()),
});

const ReceiptProperties = {
  id: Type.String(),
  state: Type.Enum([...PROMPT_STATES]),
  priority: Type.Enum([...PRIORITIES]),
  title: Type.String(),
  choices: Type.Immutable(Type.Array(Type.String())),
  allowText: Type.Boolean({ description: "Whether the answer may be a text." }),
  answersNeeded: Type.Integer({
    description: "The number of people who must give the same choice. A text needs only one.",
  }),
  createdAt: Timestamp,
  expiresAt: Timestamp,
  closedAt: Nullable(Timestamp),
  answer: Nullable(AnswerSchema),
  answers: Type.Immutable(
    Type.Array(AnswerSchema, {
      description: "The latest answer of each person, in the order of their first answers.",
    }),
  ),
};

/** The schema of a prompt as its sender sees it. */
export const PromptReceiptSchema = Type.Object(ReceiptProperties);

/** The schema of a prompt as the people who are asked see it. */
export const PromptSchema = Type.Object({
  ...ReceiptProperties,
  channel: Type.String(),
  teamId: Nullable(Type.String()),
  teamName: Nullable(Type.String()),
  notificationId: Type.String({ description: "The notification with the text of the prompt." }),
  ownAnswer: Nullable(AnswerSchema),
  isRinging: Type.Boolean({
    description:
      "Whether the prompt rings now. An emergency does not ring an audience of more than 500 devices.",
  }),
});

/** The schema of a prompt after an answer. */
export const AnsweredPromptSchema = Type.Object({
  isChanged: Type.Boolean({ description: "False if I had given this answer before." }),
  message: Type.String(),
  prompt: PromptSchema,
});
