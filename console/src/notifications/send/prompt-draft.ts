import { INTERACTION_LIMITS, type InteractionRequest, type Priority } from "@tocsin/sdk";

/** The prompt of a draft in the form. A draft without choices that does not allow a text has none. */
export interface PromptDraft {
  /** One choice per line. */
  readonly choices: string;
  readonly allowText: boolean;
  readonly answersNeeded: number;
  /** How long the prompt can be answered, in seconds. */
  readonly expireAfter: number;
}

/** The fields of a request that create a prompt. */
export type PromptFields = Pick<
  InteractionRequest,
  "choices" | "allowText" | "answersNeeded" | "expireAfter" | "repeatEvery"
>;

/** The fields of a draft without a prompt. */
export const NO_PROMPT: PromptDraft = {
  choices: "",
  allowText: false,
  answersNeeded: INTERACTION_LIMITS.answersNeeded.default,
  expireAfter: INTERACTION_LIMITS.expireAfter.default,
};

/** Returns whether a draft has a prompt. */
export function hasPrompt({ choices, allowText }: PromptDraft): boolean {
  return allowText || choices.trim() !== "";
}

/** Returns the choices of the form, without empty lines. */
export function parseChoices(choices: string): readonly string[] {
  return choices
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/** Returns the request's fields for the prompt of a draft; no fields if the draft has no prompt. */
export function toPromptFields(draft: PromptDraft & { readonly priority: string }): PromptFields {
  if (!hasPrompt(draft)) return {};
  const { allowText, answersNeeded, expireAfter } = draft;
  const choices = parseChoices(draft.choices);
  return {
    ...(choices.length > 0 && { choices }),
    ...(allowText && { allowText }),
    ...(choices.length > 0 && answersNeeded > 1 && { answersNeeded }),
    ...(expireAfter !== NO_PROMPT.expireAfter && { expireAfter }),
    ...getLongerRepetition(draft),
  };
}

const EMERGENCY: Priority = "emergency";

/** Returns a longer time between rounds for an emergency that would otherwise have too many rounds for the server. */
function getLongerRepetition({
  priority,
  expireAfter,
}: PromptDraft & { readonly priority: string }): Pick<PromptFields, "repeatEvery"> {
  const { repeatEvery, roundsMax } = INTERACTION_LIMITS;
  const hasTooManyRounds = expireAfter / repeatEvery.default > roundsMax;
  if (priority !== EMERGENCY || !hasTooManyRounds) return {};
  return { repeatEvery: Math.ceil(expireAfter / roundsMax) };
}
