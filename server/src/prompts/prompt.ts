import type { ActMeans, PromptState } from "@tocsin/sdk";
import type { Incident, Question } from "#incidents/incident.ts";

/** An answer: one of the choices, or a text. The other field is null. */
export interface Answer {
  readonly choice: string | null;
  readonly text: string | null;
}

/** The latest answer of a person. Times are milliseconds since the epoch. */
export interface PersonalAnswer extends Answer {
  readonly accountId: string;
  /** The device on which the person answered, if it is known. */
  readonly deviceId: string | null;
  readonly via: ActMeans;
  readonly at: number;
  /** The time of the person's first answer. */
  readonly firstAt: number;
}

/** An incident that asks a question. */
export type AskingIncident = Incident & { readonly question: Question };

/** A question to people, with their answers. The incident with the same id reaches the people, and rings. */
export interface Prompt {
  readonly incident: AskingIncident;
  readonly state: PromptState;
  /** The number of people who must give the same choice. */
  readonly answersNeeded: number;
  /** The answer that ended the prompt; null while the prompt is open, or if no answer ended it. */
  readonly answer: Answer | null;
  /** In the order of the first answers. */
  readonly answers: readonly PersonalAnswer[];
}

/** Maximum number of open prompts of a source. */
export const OPEN_PROMPTS_MAX = 100;

/** Returns whether an incident asks a question. */
export function isAsking(incident: Incident): incident is AskingIncident {
  return incident.question !== null;
}

/** Returns the state of the prompt of an incident. */
export function getPromptState({ closing }: Pick<Incident, "closing">): PromptState {
  if (closing === null) return "open";
  if (closing.via === "time") return "expired";
  return closing.accountId === null ? "cancelled" : "answered";
}

/**
 * Returns the time of the next change of a prompt, in milliseconds since the epoch: never before an earlier answer, even
 * if the clocks of two nodes differ.
 */
export function getNextTime({ answers }: Pick<Prompt, "answers">, now: number): number {
  return Math.max(now, ...answers.map(({ at }) => at));
}

/** Returns whether two answers are the same. */
export function isSameAnswer(one: Answer, other: Answer): boolean {
  return one.choice === other.choice && one.text === other.text;
}

/** Returns the words of an answer: the choice or the text. */
export function toAnswerText({ choice, text }: Answer): string {
  return choice ?? text ?? "";
}
