/** The counting of the question that an incident with the same id asks. */
export interface PromptTable {
  id: string;
  state: "open" | "answered" | "expired" | "cancelled";
  /** The number of people who must give the same choice. */
  answers_needed: number;
  /** The choice that ended it; null while it is open, and if a text or nothing ended it. */
  choice: string | null;
  /** The text that ended it. */
  answer_text: string | null;
}

/** The latest answer of a person. Either the choice or the text is null. */
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
