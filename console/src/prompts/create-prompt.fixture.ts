import type { Prompt, PromptAnswer } from "@tocsin/sdk";

/** Returns an open prompt with the choices `yes` and `no`, which needs one answer. */
export function createPrompt(fields: Partial<Prompt> = {}): Prompt {
  return {
    id: "prompt",
    state: "open",
    priority: "normal",
    title: "Deploy?",
    choices: ["yes", "no"],
    allowText: false,
    answersNeeded: 1,
    createdAt: "2026-01-01T00:00:00.000Z",
    expiresAt: "2026-01-01T01:00:00.000Z",
    closedAt: null,
    answer: null,
    answers: [],
    channel: "default",
    teamId: null,
    teamName: null,
    notificationId: "notification",
    ownAnswer: null,
    isRinging: false,
    ...fields,
  };
}

/** Returns an answer that a person gave in the console. */
export function createAnswer(
  name: string | null,
  answer: Partial<Pick<PromptAnswer, "choice" | "text">>,
): PromptAnswer {
  const at = "2026-01-01T00:10:00.000Z";
  return { choice: null, text: null, at, via: "console", name, deviceName: null, ...answer };
}
