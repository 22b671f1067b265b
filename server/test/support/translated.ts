import { texts as dePages } from "../../../console/src/language/de-pages.ts";
import { texts as de } from "../../../console/src/language/de.ts";
import { texts as enPages } from "../../../console/src/language/en-pages.ts";
import { texts as en } from "../../../console/src/language/en.ts";
import { textsOf } from "../../../console/src/language/texts-of.ts";

/** A language that the console can be looked at in. */
export type SpokenLanguage = "en" | "de";

/** Returns what the console says in another language in place of an English text, or of a part of one; else the text itself. */
export function translated(text: string, language: SpokenLanguage): string {
  if (language === "en") return text;
  const exact = exactly(text);
  if (exact !== null) return exact;
  for (const [english, german] of PAIRS.filter(([pattern]) => !isOfValues(pattern))) {
    const values = valuesIn(english, text);
    if (values !== null) return filledIn(german, values);
  }
  const whole = PAIRS.findLast(([english]) => english.includes(text));
  return whole === undefined ? composed(text) : longestPart(whole[1]);
}

function exactly(text: string): string | null {
  return PAIRS.find(([english]) => english === text)?.[1] ?? null;
}

/** Returns a text that other texts are parts of, with those in German; names of people and devices stay. */
function composed(text: string): string {
  for (const [english, german] of PAIRS.filter(([pattern]) => isOfValues(pattern))) {
    const values = Object.entries(valuesIn(english, text) ?? {});
    const inGerman = values.map(([name, value]) => [name, exactly(value)] as const);
    if (inGerman.some(([, value]) => value !== null)) {
      const filled = inGerman.map(([name, value], index) => [name, value ?? values[index]?.[1]]);
      return filledIn(german, Object.fromEntries(filled));
    }
  }
  return text;
}

/** Returns a selector that finds by text in another language what it finds in English. */
export function translatedSelector(selector: string, language: SpokenLanguage): string {
  return selector.replaceAll(
    NAMED,
    (_, start: string, name: string, end: string) => start + translated(name, language) + end,
  );
}

const NAMED = /(::-p-text\(|::-p-aria\(\[name="|\[aria-label=")([^)"]+)(\)|"\])/g;

const GERMAN = textsOf({ ...de, ...dePages });

/** Every text in both languages. Of patterns, the one with most words of its own says most. */
const PAIRS = [...textsOf({ ...en, ...enPages })]
  .map(([key, text]) => [text, GERMAN.get(key) ?? text] as const)
  .toSorted(([one], [other]) => ownLength(other) - ownLength(one));

const PLACE = /\{\{(\w+)\}\}/g;

function ownLength(pattern: string): number {
  return pattern.replaceAll(/\{\{\w+\}\}/g, "").length;
}

/** Says whether a pattern has places for values and hardly a word of its own. */
function isOfValues(pattern: string): boolean {
  const parts = pattern.split(/\{\{\w+\}\}/);
  return parts.length > 1 && parts.every((part) => part.length < 3);
}

/** Returns the values that make a text of a pattern with places for them; null where they cannot. */
function valuesIn(pattern: string, text: string): Readonly<Record<string, string>> | null {
  const parts = pattern.split(/\{\{\w+\}\}/);
  if (parts.length === 1) return null;
  const fixed = parts.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  const match = new RegExp(`^${fixed.join("(.+)")}$`).exec(text);
  if (match === null) return null;
  const names = [...pattern.matchAll(PLACE)].map(([, name = ""]) => name);
  return Object.fromEntries(names.map((name, index) => [name, match[index + 1] ?? ""]));
}

function filledIn(pattern: string, values: Readonly<Record<string, string>>): string {
  return pattern.replaceAll(PLACE, (_, name: string) => values[name] ?? "");
}

function longestPart(pattern: string): string {
  const [longest = ""] = pattern
    .split(/\{\{\w+\}\}/)
    .toSorted((one, other) => other.length - one.length);
  return longest.trim();
}
