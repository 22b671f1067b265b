import { useQuery } from "@tanstack/react-query";
import type { Prompt, PromptState } from "@tocsin/sdk";
import { useRef } from "react";
import { AnswerForm } from "./answer-form.tsx";
import { PromptBadge } from "./prompt-badge.tsx";
import { createPromptQuery } from "./prompt-queries.ts";
import { PromptHeadline } from "./prompt-texts.tsx";
import classes from "./prompt.module.css";

interface PromptRowProps {
  readonly id: string;
  /** The state that the feed has, shown until the prompt is loaded; null if the prompt no longer exists. */
  readonly state: PromptState | null;
  /** Whether the prompt's own page is open next to the row. Then only the page lets people answer. */
  readonly isOpened: boolean;
}

/** The prompt of a row in the feed: the state, and a form to answer. */
export function PromptRow({ id, state, isOpened }: PromptRowProps) {
  const { data: prompt } = useQuery(createPromptQuery(id));
  if (prompt !== undefined) return <PromptSummary prompt={prompt} isAnswerable={!isOpened} />;
  return state === null ? null : <PromptBadge state={state} />;
}

interface PromptSummaryProps {
  readonly prompt: Prompt;
  readonly isAnswerable: boolean;
}

/** The state of a prompt in a list, and a form to answer. */
export function PromptSummary({ prompt, isAnswerable }: PromptSummaryProps) {
  const ref = useRef<HTMLDivElement>(null);
  // When the prompt ends, the pressed button disappears, and would take the focus with it.
  const keepFocus = ({ state }: Prompt) => {
    if (state !== "open") ref.current?.focus({ preventScroll: true });
  };
  return (
    <div ref={ref} tabIndex={-1} className={classes["summary"]} data-prompt={prompt.id}>
      <PromptHeadline prompt={prompt} size="sm" />
      {prompt.state === "open" && isAnswerable && (
        <AnswerForm prompt={prompt} onGiven={keepFocus} />
      )}
    </div>
  );
}
