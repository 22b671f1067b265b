import { ACTING_LIMITS, type Notification } from "@tocsin/sdk";
import { parseActingFields } from "../acting-arguments.ts";
import { parseOptions, usageError } from "../command.ts";
import { ASK, ASK_WAIT_DEFAULT_SECONDS, ASK_WAIT_MAX_SECONDS } from "../descriptions/ask.ts";
import type { KeyOptions } from "../key-client.ts";
import { parseContentFields } from "../send-arguments.ts";

/** The parsed arguments of `tocsin ask`, validated as far as possible without a server. */
export interface AskArguments {
  readonly question: Notification;
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
  const acting = { ...parseActingFields(values), ...parseRounds(values, waitSeconds) };
  return {
    question: {
      title,
      body,
      ...parseContentFields(values),
      ...acting,
      ...(values.choices === undefined ? {} : { choices: parseChoices(values.choices) }),
      ...(text ? { allowText: true } : {}),
      ...(values.answers === undefined ? {} : { answersNeeded: parseAnswers(values.answers) }),
    },
    groupId: group ?? null,
    waitSeconds,
    connection: { key, url, "allow-http": values["allow-http"] },
    isJson: json,
  };
}

/** Returns the life of the question: at least the shortest that the server allows, and few enough rounds if it rings. */
function parseRounds(
  values: { readonly priority?: string; readonly "repeat-every"?: string },
  waitSeconds: number,
) {
  const { expireAfter, repeatEvery, roundsMax } = ACTING_LIMITS;
  const life = { expireAfter: Math.max(waitSeconds, expireAfter.min) };
  const rings = values.priority?.toLowerCase() === "emergency";
  if (!rings || values["repeat-every"] !== undefined) return life;
  const fittingSeconds = Math.ceil(life.expireAfter / roundsMax);
  return { ...life, repeatEvery: Math.max(fittingSeconds, repeatEvery.default) };
}

const UNIT_SECONDS = { s: 1, m: 60, h: 3_600 } as const;

function parseWait(text: string | undefined): number {
  if (text === undefined) return ASK_WAIT_DEFAULT_SECONDS;
  const [, count = "", unit = "s"] = /^(\d{1,6})([smh]?)$/.exec(text) ?? [];
  // The pattern allows only these units; an empty one is a number of seconds.
  const seconds = Number(count) * UNIT_SECONDS[(unit || "s") as keyof typeof UNIT_SECONDS];
  if (count !== "" && seconds >= 1 && seconds <= ASK_WAIT_MAX_SECONDS) return seconds;
  throw usageError("--wait must be a time from 1s to 24h, such as 90s, 5m or 2h.");
}

function parseChoices(text: string): readonly string[] {
  const { min, max, length } = ACTING_LIMITS.choices;
  const choices = text.split(",").map((choice) => choice.trim());
  const fits = (choice: string) => choice !== "" && Array.from(choice).length <= length;
  const isList = choices.length >= min && choices.length <= max && choices.every(fits);
  if (isList && new Set(choices).size === choices.length) return choices;
  throw usageError(
    `--choices must have ${min} to ${max} different texts of at most ${length} characters, separated by commas.`,
  );
}

function parseAnswers(text: string): number {
  const { min, max } = ACTING_LIMITS.answersNeeded;
  const count = /^\d{1,2}$/.test(text) ? Number(text) : 0;
  if (count >= min && count <= max) return count;
  throw usageError(`--answers must be a whole number from ${min} to ${max}.`);
}
