import { INTERACTION_LIMITS, type InteractionRequest, type Priority } from "@tocsin/sdk";

/** The question of a draft in the form. A draft without choices that does not allow a text asks none. */
export interface QuestionDraft {
  /** One choice per line. */
  readonly choices: string;
  readonly allowText: boolean;
  readonly answersNeeded: number;
  /** How long the question can be answered, in seconds. */
  readonly expireAfter: number;
}

/** The fields of a request that ask a question. */
export type QuestionFields = Pick<
  InteractionRequest,
  "choices" | "allowText" | "answersNeeded" | "expireAfter" | "repeatEvery"
>;

/** A draft that asks nothing. */
export const NO_QUESTION: QuestionDraft = {
  choices: "",
  allowText: false,
  answersNeeded: INTERACTION_LIMITS.answersNeeded.default,
  expireAfter: INTERACTION_LIMITS.expireAfter.default,
};

/** Returns whether a draft asks a question. */
export function isAsking({ choices, allowText }: QuestionDraft): boolean {
  return allowText || choices.trim() !== "";
}

/** Returns the choices of the form, without empty lines. */
export function parseChoices(choices: string): readonly string[] {
  return choices
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/** Returns the fields that ask the question of a draft; no fields if it asks none. */
export function toQuestionFields(
  draft: QuestionDraft & { readonly priority: string },
): QuestionFields {
  if (!isAsking(draft)) return {};
  const { allowText, answersNeeded, expireAfter } = draft;
  const choices = parseChoices(draft.choices);
  return {
    ...(choices.length > 0 && { choices }),
    ...(allowText && { allowText }),
    ...(choices.length > 0 && answersNeeded > 1 && { answersNeeded }),
    ...(expireAfter !== NO_QUESTION.expireAfter && { expireAfter }),
    ...getLongerRepetition(draft),
  };
}

const EMERGENCY: Priority = "emergency";

/** Returns a longer time between rounds for an emergency that would otherwise have too many rounds for the server. */
function getLongerRepetition({
  priority,
  expireAfter,
}: QuestionDraft & { readonly priority: string }): Pick<QuestionFields, "repeatEvery"> {
  const { repeatEvery, roundsMax } = INTERACTION_LIMITS;
  const hasTooManyRounds = expireAfter / repeatEvery.default > roundsMax;
  if (priority !== EMERGENCY || !hasTooManyRounds) return {};
  return { repeatEvery: Math.ceil(expireAfter / roundsMax) };
}
