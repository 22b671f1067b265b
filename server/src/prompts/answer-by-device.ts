import type { ActingOwner } from "#incidents/act-by-device.ts";
import { AppError } from "#errors.ts";
import { answerPrompt, type AnswerDeps } from "./answer-prompt.ts";
import { parseButtonAnswer } from "./parse-answer.ts";

/**
 * Gives the answer of a button, and returns a sentence about its effect. Throws `not_found` unless the prompt was pushed
 * to this very device, and `prompt_closed` if the prompt has ended without this answer.
 */
export async function answerByDevice(
  deps: AnswerDeps,
  { deviceId, accountId, actor }: ActingOwner,
  { promptId, answer }: { readonly promptId: string; readonly answer: string },
): Promise<{ readonly message: string }> {
  const answered = await answerPrompt(deps, {
    promptId,
    accountId,
    deviceId,
    via: "button",
    actor,
    parse: (question) => parseButtonAnswer(question, answer),
  });
  if (answered === null) throw new AppError("not_found", "This device was sent no such question.");
  return { message: answered.message };
}
