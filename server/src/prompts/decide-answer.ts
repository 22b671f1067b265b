import { isSameAnswer, type PersonalAnswer, type Prompt } from "./prompt.ts";

/** The effect of an answer on a prompt. */
export type AnswerEffect =
  /** The prompt was closed before, or its time is over. */
  | { readonly kind: "closed" }
  /** The person had given the same answer before. */
  | { readonly kind: "unchanged" }
  /** The answer counts; `isLast` if it ends the prompt. In `answers`, it replaces the person's earlier answer. */
  | {
      readonly kind: "counted";
      readonly isLast: boolean;
      readonly answers: readonly PersonalAnswer[];
    };

/**
 * Returns the effect of an answer. A text ends the prompt. A choice ends it once enough people for whom `isAsked` is
 * true have given it. Each person has one answer, and may change it while the prompt is open.
 */
export function decideAnswer(
  prompt: Prompt,
  answer: PersonalAnswer,
  isAsked: (accountId: string) => boolean,
): AnswerEffect {
  const { answers, answersNeeded, state, incident } = prompt;
  const earlier = answers.find(({ accountId }) => accountId === answer.accountId);
  const isRepeated = earlier !== undefined && isSameAnswer(earlier, answer);
  if (state !== "open") {
    const isDecisive = prompt.answer !== null && isSameAnswer(prompt.answer, answer);
    return { kind: isRepeated && isDecisive ? "unchanged" : "closed" };
  }
  // The timer that ends the prompt may be late.
  if (answer.at >= incident.question.expiresAt) return { kind: "closed" };
  if (isRepeated) return { kind: "unchanged" };
  const counted = { ...answer, firstAt: earlier?.firstAt ?? answer.at };
  const newAnswers = replaceAnswer(answers, counted);
  const votes = newAnswers.filter(
    ({ choice, accountId }) => choice !== null && choice === answer.choice && isAsked(accountId),
  );
  const isLast = answer.text !== null || votes.length >= answersNeeded;
  return { kind: "counted", isLast, answers: newAnswers };
}

function replaceAnswer(
  answers: readonly PersonalAnswer[],
  answer: PersonalAnswer,
): readonly PersonalAnswer[] {
  const index = answers.findIndex(({ accountId }) => accountId === answer.accountId);
  return index === -1 ? [...answers, answer] : answers.with(index, answer);
}
