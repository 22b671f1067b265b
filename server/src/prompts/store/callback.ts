import type { CallbackEvent } from "#callbacks/callback.ts";
import { insertCallbackQuery } from "#callbacks/store/outbox.ts";
import type { Context } from "#context.ts";
import type { Compilable } from "#database/database.ts";
import type { Condition } from "#database/insert-under.ts";
import type { Prompt } from "../prompt.ts";

/** The call about the end of a prompt, to the program that asked. */
export interface PromptCallback {
  readonly event: Extract<CallbackEvent, `prompt.${string}`>;
  readonly prompt: Prompt;
  /** The member `data` of the body. */
  readonly payload: object;
}

/**
 * Returns the queries that store the call about the end of a prompt if a condition holds; none if the prompt has no
 * URL.
 */
export function createCallbackQueries(
  context: Context,
  { event, prompt, payload }: PromptCallback,
  condition: Condition,
): readonly Compilable[] {
  const { callbackUrl: url, source, id } = prompt.incident;
  if (url === null) return [];
  const callback = { sourceId: source.id, event, subjectId: id, url, payload };
  return [insertCallbackQuery(context, callback, condition)];
}
