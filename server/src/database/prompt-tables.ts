/** The state and the result of the question that the incident with the same id asks. */
export interface PromptTable {
  id: string;
  state: "open" | "answered" | "expired" | "cancelled";
  /** The number of people who must give the same choice. */
  answers_needed: number;
  /** The choice that ended the prompt; null if none did. */
  choice: string | null;
  /** The text that ended the prompt; null if none did. */
  answer_text: string | null;
}

/** The latest answer of a person. Exactly one of choice and text is null. */
export interface PromptAnswerTable {
  prompt_id: string;
  account_id: string;
  choice: string | null;
  answer_text: string | null;
  device_id: string | null;
  via: string;
  at: number;
  /** The time of the person's first answer. */
  first_at: number;
}
