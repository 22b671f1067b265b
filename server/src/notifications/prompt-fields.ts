import { INTERACTION_LIMITS } from "@tocsin/sdk";
import { isGiven, removeBidiOverrides, type ContentInput } from "#content/readers.ts";
import { invalidField } from "#errors.ts";
import { cleanLine, readInteger } from "./interaction-readers.ts";
import { toLook } from "./look.ts";

/** The fields of a prompt: it has choices, or the answer may be a text, or both. */
export interface PromptFields {
  /** Texts that look different from each other; empty if the answer must be a text. */
  readonly choices: readonly string[];
  readonly allowsText: boolean;
  /** The number of people who must give the same choice. */
  readonly answersNeeded: number;
}

/** The names of the fields, in the order of their validation. */
export const PROMPT_FIELD_NAMES = ["choices", "allowText", "answersNeeded"] as const;

/** Returns the fields of a prompt; null if the send asks no question. Throws `invalid_field` for the first invalid field. */
export function parsePrompt(input: ContentInput): PromptFields | null {
  const choices = isGiven(input, "choices") ? parseChoices(input) : [];
  const allowsText = isGiven(input, "allowText") && parseFlag(input, "allowText");
  const { answersNeeded: range } = INTERACTION_LIMITS;
  const answersNeeded = readInteger(input, "answersNeeded", range);
  if (answersNeeded !== null && choices.length === 0) {
    const message = "answersNeeded needs choices: it counts the people who give the same one.";
    throw invalidField("answersNeeded", message);
  }
  if (choices.length === 0 && !allowsText) return null;
  return { choices, allowsText, answersNeeded: answersNeeded ?? range.default };
}

function parseChoices(input: ContentInput): readonly string[] {
  const { min, max } = INTERACTION_LIMITS.choices;
  const { choiceLength } = INTERACTION_LIMITS;
  const texts = listTexts(input);
  if (texts === null || texts.length < min || texts.length > max)
    throw invalidField("choices", `choices must be a list of ${min} to ${max} texts.`);
  const choices = texts.map((text) => cleanLine(removeBidiOverrides(text)));
  if (choices.some((choice) => toLook(choice) === "" || Array.from(choice).length > choiceLength))
    throw invalidField(
      "choices",
      `Each of choices must have 1 to ${choiceLength} visible characters.`,
    );
  requireDifferentLooks(choices);
  return choices;
}

/** People cannot tell choices apart that look the same, and a typed answer counts in any letter case and width. */
function requireDifferentLooks(choices: readonly string[]): void {
  const looks = choices.map(toLook);
  const laterIndex = looks.findIndex((look, index) => looks.indexOf(look) < index);
  if (laterIndex === -1) return;
  const earlierIndex = looks.indexOf(looks[laterIndex] ?? "");
  const message = `choices must look different: number ${earlierIndex + 1} and number ${laterIndex + 1} differ in nothing but letter case, width, spaces or invisible characters. Change one of them.`;
  throw invalidField("choices", message);
}

/**
 * Returns the texts of the field `choices`: an array in JSON, separated by commas in a query. Null for any other value.
 */
function listTexts({ fields, flagFormat }: ContentInput): readonly string[] | null {
  const { choices } = fields;
  if (flagFormat === "words") return typeof choices === "string" ? choices.split(",") : null;
  const isList = Array.isArray(choices) && choices.every((choice) => typeof choice === "string");
  return isList ? choices : null;
}

function parseFlag({ fields, flagFormat }: ContentInput, name: string): boolean {
  const value = fields[name];
  if (flagFormat === "booleans") {
    if (typeof value === "boolean") return value;
    throw invalidField(name, `${name} must be true or false.`);
  }
  const word = typeof value === "string" ? value.toLowerCase() : "";
  if (word === "true" || word === "1") return true;
  if (word === "false" || word === "0") return false;
  throw invalidField(name, `${name} must be true, false, 1 or 0.`);
}
