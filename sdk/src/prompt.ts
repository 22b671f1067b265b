import type { ActMeans } from "./incident.ts";
import type { Priority } from "./content.ts";
import type { PageQuery, Timestamp } from "./page.ts";

/** The states of a prompt; all but `open` are final. */
export const PROMPT_STATES = ["open", "answered", "expired", "cancelled"] as const;

/** The state of a prompt. */
export type PromptState = (typeof PROMPT_STATES)[number];

/** An answer: one of the choices, or a text. */
export type AnswerInput =
  | { readonly choice: string; readonly text?: never }
  | { readonly text: string; readonly choice?: never };

/** The answer of a person. Exactly one of choice and text is null. */
export interface PromptAnswer {
  readonly choice: string | null;
  readonly text: string | null;
  readonly at: Timestamp;
  readonly via: ActMeans;
  /** The name of the person; null for a deleted account. */
  readonly name: string | null;
  /** The name of the device, if it is known. */
  readonly deviceName: string | null;
}

/** A prompt as its sender sees it. */
export interface PromptReceipt {
  readonly id: string;
  readonly state: PromptState;
  readonly priority: Priority;
  readonly title: string;
  readonly choices: readonly string[];
  /** Whether the answer may be a text. */
  readonly allowText: boolean;
  /** The number of people who must give the same choice. A text needs only one. */
  readonly answersNeeded: number;
  readonly createdAt: Timestamp;
  readonly expiresAt: Timestamp;
  /** The time at which the prompt ended; null while it is open. */
  readonly closedAt: Timestamp | null;
  /** The answer that ended the prompt, by the last person who gave it; null if no answer ended it. */
  readonly answer: PromptAnswer | null;
  /** The latest answer of each person, in the order of their first answers. */
  readonly answers: readonly PromptAnswer[];
}

/** A prompt as the people who are asked see it. */
export interface Prompt extends PromptReceipt {
  readonly channel: string;
  /** The team whose key sent the prompt; null for an account key. */
  readonly teamId: string | null;
  readonly teamName: string | null;
  /** The notification with the text of the prompt. */
  readonly notificationId: string;
  /** The answer of this account; null if it has given none. */
  readonly ownAnswer: PromptAnswer | null;
  /** Whether the prompt rings now. An emergency does not ring an audience of more than 500 devices. */
  readonly isRinging: boolean;
}

/** The query that selects prompts; absent fields match all. */
export interface PromptsQuery extends PageQuery {
  readonly state?: PromptState;
}

/** A prompt after an answer. */
export interface AnsweredPrompt {
  /** False if the person had given this answer before. */
  readonly isChanged: boolean;
  /** A sentence about the effect of the answer. */
  readonly message: string;
  readonly prompt: Prompt;
}
