import { useQueryClient } from "@tanstack/react-query";
import type { AnswerInput, Prompt } from "@tocsin/sdk";
import { useRef, useState } from "react";
import { showToast } from "../page/toasts.ts";
import { useAction } from "../page/use-action.ts";
import { answerPrompt } from "./prompt-queries.ts";
import { useLateDescription } from "./prompt-texts.tsx";

/** The state of answering a prompt, and the functions that answer it. */
export interface Answering {
  /** The answer on its way; null if there is none. */
  readonly pending: AnswerInput | null;
  /** The error of the last attempt; null if there is none. */
  readonly problem: unknown;
  /** Gives an answer, unless one is on its way. */
  readonly give: (answer: AnswerInput) => void;
  /** Tries the last answer again. */
  readonly retry: () => void;
}

/**
 * Returns the state of answering a prompt. Calls `onGiven` with the prompt once the server has the answer, or has said
 * that the prompt had ended.
 */
export function useAnswer(id: string, onGiven: (prompt: Prompt) => void): Answering {
  const queryClient = useQueryClient();
  const describeLate = useLateDescription();
  const nextAnswer = useRef<AnswerInput | null>(null);
  const [lastAnswer, setLastAnswer] = useState<AnswerInput | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  const { isRunning, start } = useAction(async () => {
    const newAnswer = nextAnswer.current;
    if (newAnswer === null) return;
    setLastAnswer(newAnswer);
    setProblem(null);
    const { prompt, isTooLate } = await answerPrompt(queryClient, id, newAnswer);
    if (isTooLate) showToast(describeLate(prompt));
    onGiven(prompt);
  }, setProblem);
  const give = (newAnswer: AnswerInput) => {
    nextAnswer.current = newAnswer;
    start();
  };
  return {
    pending: isRunning ? lastAnswer : null,
    problem,
    give,
    retry: () => {
      if (lastAnswer !== null) give(lastAnswer);
    },
  };
}
