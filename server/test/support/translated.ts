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
  const exact = PAIRS.find(([english]) => english === text);
  if (exact !== undefined) return exact[1];
  for (const [english, german] of PAIRS) {
    const values = valuesIn(english, text);
    if (values !== null) return filledIn(german, values);
  }
  const whole = PAIRS.find(([english]) => english.includes(text));
  return whole === undefined ? text : longestPart(whole[1]);
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

/** Every text in both languages. Of patterns, the longest says most. */
const PAIRS = [...textsOf({ ...en, ...enPages })]
  .map(([key, text]) => [text, GERMAN.get(key) ?? text] as const)
  .toSorted(([one], [other]) => other.length - one.length);

const PLACE = /\{\{(\w+)\}\}/g;

/** Returns the values that make a text of a pattern with places for them; null where they cannot. */
function valuesIn(pattern: string, text: string): Readonly<Record<string, string>> | null {
  const parts = pattern.split(/\{\{\w+\}\}/);
  if (parts.length === 1 || parts.every((part) => part.length < 3)) return null;
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
