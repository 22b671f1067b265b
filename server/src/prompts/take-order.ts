import type { Context } from "#context.ts";
import { invalidField } from "#errors.ts";
import type { AskedQuestion } from "#incidents/trigger.ts";
import { takeTrigger, type TakeOrderDeps } from "#incidents/take-order.ts";
import type { Sent, SendOrder } from "#notifications/order.ts";
import type { PromptFields } from "#notifications/prompt-fields.ts";
import { setTimerQuery } from "#timers/store.ts";
import { OPEN_PROMPTS_MAX } from "./prompt.ts";
import { insertPromptQuery } from "./store/prompts.ts";

/** Takes a send that asks a question. Its incident tells the people, and rings if the send is an emergency. */
export async function takePromptOrder(
  deps: TakeOrderDeps,
  order: SendOrder,
  fields: PromptFields,
): Promise<Sent> {
  const { context } = deps;
  requireEnoughPeople(order, fields);
  const expiresAt = context.now() + order.interaction.expireAfterMs;
  return takeTrigger(deps, order, createAskedQuestion(context, { fields, expiresAt }));
}

/**
 * Throws `invalid_field` if several people must agree, but only one account is asked: the prompt could never be answered.
 */
function requireEnoughPeople({ sender }: SendOrder, { answersNeeded }: PromptFields): void {
  if (answersNeeded === 1 || sender.teamId !== null) return;
  const message =
    "answersNeeded must be 1 here, because one person is asked. Ask a team if several people must agree.";
  throw invalidField("answersNeeded", message);
}

/** Returns a question for the trigger that asks it. */
export function createAskedQuestion(
  context: Context,
  { fields, expiresAt }: { readonly fields: PromptFields; readonly expiresAt: number },
): AskedQuestion {
  const { choices, allowsText, answersNeeded } = fields;
  return {
    question: { choices, allowsText, expiresAt },
    openMax: OPEN_PROMPTS_MAX,
    createStatements: (id, condition) => [
      insertPromptQuery(context, { id, answersNeeded }, condition),
      setTimerQuery(context, { kind: "prompt_expire", subjectId: id, runAt: expiresAt }, condition),
    ],
  };
}
