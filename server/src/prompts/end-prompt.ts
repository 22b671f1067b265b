import type { Context } from "#context.ts";
import type { ChangeCondition } from "#incidents/change.ts";
import type { QuestionChange } from "#incidents/change-question.ts";
import type { Act } from "#incidents/incident.ts";
import { removeTimersQuery } from "#timers/store.ts";
import type { Prompt } from "./prompt.ts";
import { loadReceipt } from "./response.ts";
import { createCallbackQueries } from "./store/callback.ts";
import { endPromptQuery, type PromptEnd } from "./store/prompts.ts";

/** The end of a prompt, with its answers so far and the act that ends it. */
export interface PromptEnding extends Pick<PromptEnd, "state" | "answer"> {
  readonly prompt: Prompt;
  readonly answers: Prompt["answers"];
  readonly act: Act;
}

/**
 * Returns the statements that end a prompt: they store its state, remove its timer, and queue the call to the program
 * that asked.
 */
export async function createEnding(
  context: Context,
  { prompt, state, answer, answers, act }: PromptEnding,
): Promise<Pick<QuestionChange, "createStatements" | "hasCallback">> {
  const { incident } = prompt;
  const { id } = incident;
  const ended = { ...prompt, state, answer, answers, incident: { ...incident, closing: act } };
  // The sender itself cancels a prompt, and needs no call.
  const callback =
    state === "cancelled"
      ? null
      : {
          event: `prompt.${state}` as const,
          prompt: ended,
          payload: toPayload(await loadReceipt(context, ended)),
        };
  return {
    hasCallback: callback !== null && incident.callbackUrl !== null,
    createStatements: (condition: ChangeCondition) => [
      endPromptQuery(context, { id, state, answer }, condition),
      removeTimersQuery(context, { subjectId: id, kinds: ["prompt_expire"] }, condition),
      ...(callback === null ? [] : createCallbackQueries(context, callback, condition)),
    ],
  };
}

function toPayload({ id, ...receipt }: Awaited<ReturnType<typeof loadReceipt>>): object {
  return { promptId: id, ...receipt };
}
