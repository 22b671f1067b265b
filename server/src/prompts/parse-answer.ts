import { INTERACTION_LIMITS } from "@tocsin/sdk";
import { cleanText, removeBidiOverrides } from "#content/readers.ts";
import { invalidField } from "#errors.ts";
import type { Question } from "#incidents/incident.ts";
import { toLook } from "#notifications/look.ts";
import type { Answer } from "./prompt.ts";

/** An answer as a caller gives it. */
export interface AnswerFields {
  readonly choice: string | undefined;
  readonly text: string | undefined;
}

/** Returns the answer in the fields `choice` and `text`; throws `invalid_field` unless the question allows such an answer. */
export function parseAnswer(question: Question, { choice, text }: AnswerFields): Answer {
  if ((choice === undefined) === (text === undefined))
    throw invalidField("choice", "Answer by choice or by text, one of the two.");
  return choice === undefined ? toText(question, "text", text ?? "") : toChoice(question, choice);
}

/**
 * Returns the answer of a button: one of the choices, otherwise a text; throws `invalid_field` unless the question allows
 * such an answer.
 */
export function parseButtonAnswer(question: Question, answer: string): Answer {
  if (question.choices.includes(answer)) return { choice: answer, text: null };
  if (question.allowsText) return toText(question, "answer", answer);
  throw createChoiceError(question, "answer");
}

function toChoice(question: Question, choice: string): Answer {
  if (question.choices.includes(choice)) return { choice, text: null };
  throw createChoiceError(question, "choice");
}

function createChoiceError({ choices }: Question, field: string) {
  if (choices.length === 0)
    return invalidField(field, "This question has no choices: answer by text.");
  return invalidField(field, `${field} must be one of: ${choices.join(", ")}.`);
}

/** Returns a text as an answer: the choice that it spells, otherwise the text itself. */
function toText({ allowsText, choices }: Question, field: string, text: string): Answer {
  if (!allowsText) throw invalidField(field, "This question takes no text: answer by choice.");
  const { answerTextLength: lengthMax } = INTERACTION_LIMITS;
  const clean = removeBidiOverrides(cleanText(text)).trim();
  const choice = findChoice(choices, clean);
  if (choice !== undefined) return { choice, text: null };
  if (clean !== "" && Array.from(clean).length <= lengthMax) return { choice: null, text: clean };
  throw invalidField(field, `${field} must have 1 to ${lengthMax} characters.`);
}

/**
 * Returns the choice that a text spells, in any letter case. As a text, a typed "No" would end the prompt without stopping
 * the program that asked.
 */
function findChoice(choices: readonly string[], text: string): string | undefined {
  const look = toLook(text);
  return (
    choices.find((choice) => choice === text) ?? choices.find((choice) => toLook(choice) === look)
  );
}
