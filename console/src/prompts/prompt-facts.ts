import type { AnswerInput, Prompt, PromptAnswer, PromptReceipt } from "@tocsin/sdk";

/** A choice of a prompt, with the number of people whose latest answer it is. */
export interface ChoiceVotes {
  readonly choice: string;
  readonly votes: number;
  /** Whether the choice is the reader's answer. */
  readonly isOwn: boolean;
}

/** Returns the choices of a prompt in order, each with the number of votes for it. */
export function countVotes({ choices, answers, ownAnswer }: Prompt): readonly ChoiceVotes[] {
  return choices.map((choice) => ({
    choice,
    votes: answers.filter((answer) => answer.choice === choice).length,
    isOwn: ownAnswer?.choice === choice,
  }));
}

/** The number of equal answers that a prompt has and needs. */
export interface Agreement {
  readonly votes: number;
  readonly needed: number;
}

/** Returns how far people agree, as the votes for the leading choice. Null if one answer is enough. */
export function getAgreement(prompt: Prompt): Agreement | null {
  const { answersNeeded: needed } = prompt;
  if (needed === 1) return null;
  return { votes: Math.max(0, ...countVotes(prompt).map(({ votes }) => votes)), needed };
}

/** Returns an answer as text. */
export function getAnswerText({ choice, text }: Pick<PromptAnswer, "choice" | "text">): string {
  return choice ?? text ?? "";
}

/** Returns the names of the people whose answer counted; null stands for a deleted account. Empty without an answer. */
export function listDeciders({
  answer,
  answers,
}: Pick<PromptReceipt, "answer" | "answers">): readonly (string | null)[] {
  // A text has the choice null. A prompt has at most one text, because a text ends the prompt.
  return answers.filter(({ choice }) => choice === answer?.choice).map(({ name }) => name);
}

/** Returns whether a text can be sent as an answer: after trimming, it has 1 to `lengthMax` characters. */
export function isSendable(text: string, lengthMax: number): boolean {
  const length = Array.from(text.trim()).length;
  return length > 0 && length <= lengthMax;
}

/** Returns whether two answers are the same. */
export function isSameAnswer(one: AnswerInput, other: AnswerInput): boolean {
  return one.choice === other.choice && one.text === other.text;
}

/** Returns open prompts with the ringing ones first; among equals, the oldest is first. */
export function sortByUrgency(prompts: readonly Prompt[]): readonly Prompt[] {
  return prompts.toSorted(
    (one, other) =>
      Number(isRinging(other)) - Number(isRinging(one)) ||
      Date.parse(one.createdAt) - Date.parse(other.createdAt),
  );
}

/** Returns whether a prompt rings: an open emergency does, until it is answered. */
export function isRinging({ state, priority }: Pick<Prompt, "state" | "priority">): boolean {
  return state === "open" && priority === "emergency";
}
