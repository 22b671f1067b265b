import type { ActMeans, AnsweredPrompt } from "@tocsin/sdk";
import { findAccountNames } from "#accounts/store/names.ts";
import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import type { QuestionChange } from "#incidents/change-question.ts";
import type { Incident, Question } from "#incidents/incident.ts";
import type { Incidents } from "#incidents/incidents.ts";
import { findReached, type IncidentReader } from "#incidents/reader.ts";
import { formatTimestamp } from "#schema/timestamp.ts";
import { decideAnswer, type AnswerEffect } from "./decide-answer.ts";
import { createEnding } from "./end-prompt.ts";
import { findAsked } from "./find-asked.ts";
import {
  getNextTime,
  isAsking,
  toAnswerText,
  type Answer,
  type PersonalAnswer,
  type Prompt,
} from "./prompt.ts";
import { findDecisive, loadPromptResponses } from "./response.ts";
import { recordPromptActQuery } from "./store/audit.ts";
import { loadPrompt, saveAnswerQuery } from "./store/prompts.ts";
import { createAnsweredContent } from "./texts.ts";

/** The dependencies of answers. */
export interface AnswerDeps {
  readonly context: Context;
  readonly incidents: Pick<Incidents, "changeQuestion">;
}

/** The answer of a person to a prompt. */
export interface AnswerOrder extends IncidentReader {
  readonly promptId: string;
  readonly via: ActMeans;
  readonly actor: Actor;
  /** Returns the answer; throws `invalid_field` if the question does not allow such an answer. */
  readonly parse: (question: Question) => Answer;
}

/**
 * Stores the answer of a person, and returns the prompt after it; null if the person received no such prompt. Throws
 * `prompt_closed` if the prompt has ended without this answer; the message says how the prompt ended.
 */
export async function answerPrompt(
  deps: AnswerDeps,
  order: AnswerOrder,
): Promise<AnsweredPrompt | null> {
  const { context } = deps;
  const reached = await findReached(context, order.promptId, order);
  if (reached === null || !isAsking(reached)) return null;
  const answer = order.parse(reached.question);
  // Each attempt overwrites the effect. The last attempt is the one that is stored.
  const planned: { effect: AnswerEffect } = { effect: { kind: "closed" } };
  const incident = await deps.incidents.changeQuestion({
    incidentId: reached.id,
    firedTimer: null,
    async plan(current) {
      const plan = await planAnswer(context, { incident: current, answer, order });
      planned.effect = plan?.effect ?? { kind: "closed" };
      return plan?.change ?? null;
    },
  });
  const { effect } = planned;
  const prompt = incident === null ? null : await loadPrompt(context, incident.id);
  if (prompt === null) return null;
  if (effect.kind === "closed") throw await createClosedError(context, prompt);
  const [response] = await loadPromptResponses(context, [prompt], order.accountId);
  if (response === undefined) return null;
  return {
    isChanged: effect.kind === "counted",
    message: describeAnswer(effect, prompt),
    prompt: response,
  };
}

interface PlannedAnswer {
  readonly effect: AnswerEffect;
  /** Null if the answer changes nothing. */
  readonly change: QuestionChange | null;
}

interface AnswerInput {
  readonly incident: Incident;
  readonly answer: Answer;
  readonly order: AnswerOrder;
}

async function planAnswer(
  context: Context,
  { incident, answer, order }: AnswerInput,
): Promise<PlannedAnswer | null> {
  // The prompt may be newer than the incident that was read. Then the change is refused, and planned again.
  const prompt = await loadPrompt(context, incident.id);
  if (prompt === null) return null;
  const { accountId, deviceId, via, actor } = order;
  const at = getNextTime(prompt, context.now());
  const personal: PersonalAnswer = { ...answer, accountId, deviceId, via, at, firstAt: at };
  const effect = decideAnswer(prompt, personal, await findAsked(context, prompt));
  if (effect.kind !== "counted") return { effect, change: null };
  const counted = effect.answers.find((one) => one.accountId === accountId) ?? personal;
  const act = { at, via, accountId, deviceId, note: null };
  const ending = effect.isLast
    ? await createEnding(context, {
        prompt,
        state: "answered",
        answer,
        answers: effect.answers,
        act,
      })
    : null;
  const name = (await findAccountNames(context, [accountId])).get(accountId) ?? null;
  const content = createAnsweredContent(prompt.incident, { name, answer });
  return {
    effect,
    change: {
      event: effect.isLast ? { kind: "closed", act, content } : { kind: "counted", act },
      hasCallback: ending?.hasCallback ?? false,
      createStatements: (condition) => [
        saveAnswerQuery(context, { promptId: incident.id, answer: counted }, condition),
        recordPromptActQuery(context, { action: "prompt_answered", incident, actor }, condition),
        ...(ending?.createStatements(condition) ?? []),
      ],
    },
  };
}

function describeAnswer(
  effect: AnswerEffect,
  { state, answersNeeded, answers, answer }: Prompt,
): string {
  if (effect.kind === "unchanged") return "You gave this answer before.";
  if (state !== "open" || effect.kind === "closed")
    return `The question is answered: ${answer === null ? "" : toAnswerText(answer)}`;
  const word = answers.length === 1 ? "person has" : "people have";
  return `Your answer counts. ${answers.length} ${word} answered; ${answersNeeded} must agree.`;
}

/** Returns the error for an answer that came too late. */
async function createClosedError(context: Context, prompt: Prompt): Promise<AppError> {
  const { state, incident } = prompt;
  const at = `, at ${formatTimestamp(incident.closing?.at ?? incident.question.expiresAt)}`;
  const decisive = findDecisive(prompt);
  if (state === "expired" || state === "open")
    return new AppError("prompt_closed", `The time to answer is over${at}.`);
  if (decisive === null) return new AppError("prompt_closed", `The question was withdrawn${at}.`);
  const names = await findAccountNames(context, [decisive.accountId]);
  const author = names.get(decisive.accountId) ?? "Somebody";
  const text = toAnswerText(decisive);
  return new AppError("prompt_closed", `${author} answered first${at}: ${text}`);
}
