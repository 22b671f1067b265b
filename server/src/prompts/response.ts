import type { Prompt as PromptResponse, PromptAnswer, PromptReceipt } from "@tocsin/sdk";
import { findAccountNames } from "#accounts/store/names.ts";
import type { Context } from "#context.ts";
import { findDeviceNames } from "#devices/store/devices.ts";
import { isRinging } from "#incidents/incident.ts";
import { formatTimestamp } from "#schema/timestamp.ts";
import { findTeamNames } from "#teams/store/teams.ts";
import type { PersonalAnswer, Prompt } from "./prompt.ts";

/** The names of the people who answered, and of their devices. */
interface AnswerNames {
  readonly people: ReadonlyMap<string, string>;
  readonly devices: ReadonlyMap<string, { readonly name: string }>;
}

async function loadNames(context: Context, prompts: readonly Prompt[]): Promise<AnswerNames> {
  const answers = prompts.flatMap((prompt) => prompt.answers);
  const accountIds = answers.map(({ accountId }) => accountId);
  const deviceIds = answers.flatMap(({ deviceId }) => (deviceId === null ? [] : [deviceId]));
  const [people, devices] = await Promise.all([
    findInBatches(accountIds, (ids) => findAccountNames(context, ids)),
    findInBatches(deviceIds, (ids) => findDeviceNames(context, ids)),
  ]);
  return { people, devices };
}

/** Maximum number of ids in one query. A page of prompts may have many times as many answers. */
const IDS_MAX = 500;

async function findInBatches<Value>(
  ids: readonly string[],
  find: (ids: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
): Promise<ReadonlyMap<string, Value>> {
  const found = new Map<string, Value>();
  const uniqueIds = [...new Set(ids)];
  for (let start = 0; start < uniqueIds.length; start += IDS_MAX) {
    const batch = uniqueIds.slice(start, start + IDS_MAX);
    for (const [id, value] of await find(batch)) found.set(id, value);
  }
  return found;
}

/** Returns a prompt as its sender sees it. */
export async function loadReceipt(context: Context, prompt: Prompt): Promise<PromptReceipt> {
  return toReceipt(prompt, await loadNames(context, [prompt]));
}

function toReceipt(prompt: Prompt, names: AnswerNames): PromptReceipt {
  const { incident, state, answersNeeded, answers } = prompt;
  const { question, closing } = incident;
  const decisive = findDecisive(prompt);
  return {
    id: incident.id,
    state,
    priority: incident.priority,
    title: incident.title,
    choices: [...question.choices],
    allowText: question.allowsText,
    answersNeeded,
    createdAt: formatTimestamp(incident.openedAt),
    expiresAt: formatTimestamp(question.expiresAt),
    closedAt: closing === null ? null : formatTimestamp(closing.at),
    answer: decisive === null ? null : toAnswerResponse(decisive, names),
    answers: answers.map((answer) => toAnswerResponse(answer, names)),
  };
}

/** Returns the answer that ended a prompt, with the person who gave it; null if no answer ended it. */
export function findDecisive({ answer, answers, incident }: Prompt): PersonalAnswer | null {
  const accountId = incident.closing?.accountId ?? null;
  if (answer === null || accountId === null) return null;
  return answers.find((one) => one.accountId === accountId) ?? null;
}

function toAnswerResponse(
  { choice, text, at, via, accountId, deviceId }: PersonalAnswer,
  { people, devices }: AnswerNames,
): PromptAnswer {
  return {
    choice,
    text,
    at: formatTimestamp(at),
    via,
    name: people.get(accountId) ?? null,
    deviceName: deviceId === null ? null : (devices.get(deviceId)?.name ?? null),
  };
}

/** Returns prompts as one of the people who are asked sees them, in the same order. */
export async function loadPromptResponses(
  context: Context,
  prompts: readonly Prompt[],
  accountId: string,
): Promise<readonly PromptResponse[]> {
  const teamIds = prompts.flatMap(({ incident: { owner } }) =>
    owner.teamId === null ? [] : [owner.teamId],
  );
  const [names, teams] = await Promise.all([
    loadNames(context, prompts),
    findTeamNames(context, [...new Set(teamIds)]),
  ]);
  return prompts.map((prompt) => {
    const { channel, owner, notificationId } = prompt.incident;
    const own = prompt.answers.find((answer) => answer.accountId === accountId);
    return {
      ...toReceipt(prompt, names),
      channel,
      teamId: owner.teamId,
      teamName: owner.teamId === null ? null : (teams.get(owner.teamId) ?? null),
      notificationId,
      ownAnswer: own === undefined ? null : toAnswerResponse(own, names),
      isRinging: isRinging(prompt.incident),
    };
  });
}
