import { INTERACTION_LIMITS, type Notification } from "@tocsin/sdk";
import { parseInteractionFields } from "../interaction-arguments.ts";
import { parseOptions, usageError } from "../command.ts";
import { ASK, ASK_WAIT_DEFAULT_SECONDS, ASK_WAIT_MAX_SECONDS } from "../descriptions/ask.ts";
import type { KeyOptions } from "../key-client.ts";
import { parseContentFields } from "../send-arguments.ts";

/** The parsed arguments of `tocsin ask`, validated as far as possible without a server. */
export interface AskArguments {
  readonly prompt: Notification;
  /** Null for all devices of the key's account or team. */
  readonly groupId: string | null;
  readonly waitSeconds: number;
  readonly connection: KeyOptions;
  readonly isJson: boolean;
}

/** Parses the arguments of `tocsin ask`; throws a usage error. */
export function parseAskArguments(args: readonly string[]): AskArguments {
  const { values, positionals } = parseOptions({
    args,
    options: ASK.options,
    allowPositionals: true,
  });
  const [title, body = "", ...more] = positionals;
  if (title === undefined) throw usageError("Give a TITLE, which is the question.");
  if (more.length > 0) throw usageError("Give one TITLE and one BODY: put each in quotes.");
  const { key, url, group, text = false, json = false } = values;
  if (values.choices === undefined && !text)
    throw usageError("Give the answers with --choices, or --text for a text.");
  if (group !== undefined && !/^[\w-]+$/.test(group))
    throw usageError("--group must be the id of a device group.");
  const waitSeconds = parseWait(values.wait);
  const interactionFields = {
    ...parseInteractionFields(values),
    ...chooseTimes(values, waitSeconds),
  };
  return {
    prompt: {
      title,
      body,
      ...parseContentFields(values),
      ...interactionFields,
      ...(values.choices === undefined ? {} : { choices: parseChoices(values.choices) }),
      ...(text ? { allowText: true } : {}),
      ...(values.answers === undefined
        ? {}
        : { answersNeeded: parseAnswersNeeded(values.answers) }),
    },
    groupId: group ?? null,
    waitSeconds,
    connection: { key, url, "allow-http": values["allow-http"] },
    isJson: json,
  };
}

/**
 * Returns how long the prompt stays open, at least the server's minimum. For an emergency without `--repeat-every`,
 * also returns a time between rounds, so that the server's limit of rounds is kept.
 */
function chooseTimes(
  values: { readonly priority?: string; readonly "repeat-every"?: string },
  waitSeconds: number,
) {
  const { expireAfter, repeatEvery, roundsMax } = INTERACTION_LIMITS;
  const lifetime = { expireAfter: Math.max(waitSeconds, expireAfter.min) };
  const isEmergency = values.priority?.toLowerCase() === "emergency";
  if (!isEmergency || values["repeat-every"] !== undefined) return lifetime;
  const shortestSeconds = Math.ceil(lifetime.expireAfter / roundsMax);
  return { ...lifetime, repeatEvery: Math.max(shortestSeconds, repeatEvery.default) };
}

const UNIT_SECONDS = { s: 1, m: 60, h: 3_600 } as const;

function parseWait(text: string | undefined): number {
  if (text === undefined) return ASK_WAIT_DEFAULT_SECONDS;
  const [, count = "", unit = "s"] = /^(\d{1,6})([smh]?)$/.exec(text) ?? [];
  // The pattern allows only these units. A number without a unit is in seconds.
  const seconds = Number(count) * UNIT_SECONDS[(unit || "s") as keyof typeof UNIT_SECONDS];
  if (count !== "" && seconds >= 1 && seconds <= ASK_WAIT_MAX_SECONDS) return seconds;
  throw usageError("--wait must be a time from 1s to 24h, such as 90s, 5m or 2h.");
}

function parseChoices(list: string): readonly string[] {
  const { min, max } = INTERACTION_LIMITS.choices;
  const { choiceLength } = INTERACTION_LIMITS;
  const choices = list.split(",").map((choice) => choice.trim());
  const isChoice = (text: string) => text !== "" && Array.from(text).length <= choiceLength;
  const areValid = choices.length >= min && choices.length <= max && choices.every(isChoice);
  if (areValid && new Set(choices).size === choices.length) return choices;
  throw usageError(
    `--choices must have ${min} to ${max} different texts of at most ${choiceLength} characters, separated by commas.`,
  );
}

function parseAnswersNeeded(text: string): number {
  const { min, max } = INTERACTION_LIMITS.answersNeeded;
  const count = /^\d{1,2}$/.test(text) ? Number(text) : 0;
  if (count >= min && count <= max) return count;
  throw usageError(`--answers must be a whole number from ${min} to ${max}.`);
}
