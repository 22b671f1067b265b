import { texts as dePages } from "../../../console/src/language/de-pages.ts";
import { texts as de } from "../../../console/src/language/de.ts";
import { texts as enPages } from "../../../console/src/language/en-pages.ts";
import { texts as en } from "../../../console/src/language/en.ts";
import { collectTexts } from "../../../console/src/language/collect-texts.ts";

/** A language of the console. */
export type ConsoleLanguage = "en" | "de";

/** Translates an English text of the console, or a part of one. Returns other texts unchanged. */
export function translate(text: string, language: ConsoleLanguage): string {
  if (language === "en") return text;
  const exactTranslation = translateExact(text);
  if (exactTranslation !== null) return exactTranslation;
  for (const [english, german] of TRANSLATIONS.filter(
    ([pattern]) => !isMostlyPlaceholders(pattern),
  )) {
    const values = matchValues(english, text);
    if (values !== null) return fillPattern(german, values);
  }
  const containingTranslation = TRANSLATIONS.findLast(([english]) => english.includes(text));
  return containingTranslation === undefined
    ? translateComposed(text)
    : findLongestPart(containingTranslation[1]);
}

function translateExact(text: string): string | null {
  return TRANSLATIONS.find(([english]) => english === text)?.[1] ?? null;
}

/** Translates a text that is composed of other texts. Names of people and devices stay. */
function translateComposed(text: string): string {
  for (const [english, german] of TRANSLATIONS.filter(([pattern]) =>
    isMostlyPlaceholders(pattern),
  )) {
    const values = Object.entries(matchValues(english, text) ?? {});
    const translatedValues = values.map(([name, value]) => [name, translateExact(value)] as const);
    if (translatedValues.some(([, value]) => value !== null)) {
      const filledValues = translatedValues.map(([name, value], index) => [
        name,
        value ?? values[index]?.[1],
      ]);
      return fillPattern(german, Object.fromEntries(filledValues));
    }
  }
  return text;
}

/** Translates the English texts in a selector. */
export function translateSelector(selector: string, language: ConsoleLanguage): string {
  return selector.replaceAll(
    SELECTOR_TEXT,
    (_, start: string, name: string, end: string) => start + translate(name, language) + end,
  );
}

const SELECTOR_TEXT = /(::-p-text\(|::-p-aria\(\[name="|\[aria-label=")([^)"]+)(\)|"\])/g;

const GERMAN_TEXTS = collectTexts({ ...de, ...dePages });

/** Every text in both languages, the patterns with most fixed text first. */
const TRANSLATIONS = [...collectTexts({ ...en, ...enPages })]
  .map(([key, text]) => [text, GERMAN_TEXTS.get(key) ?? text] as const)
  .toSorted(([one], [other]) => countFixedCharacters(other) - countFixedCharacters(one));

const PLACEHOLDER = /\{\{(\w+)\}\}/g;

function countFixedCharacters(pattern: string): number {
  return pattern.replaceAll(/\{\{\w+\}\}/g, "").length;
}

/** Returns whether a pattern consists of placeholders and almost no fixed text. */
function isMostlyPlaceholders(pattern: string): boolean {
  const parts = pattern.split(/\{\{\w+\}\}/);
  return parts.length > 1 && parts.every((part) => part.length < 3);
}

/** Returns the values of a pattern's placeholders in a text; null if the text does not match. */
function matchValues(pattern: string, text: string): Readonly<Record<string, string>> | null {
  const parts = pattern.split(/\{\{\w+\}\}/);
  if (parts.length === 1) return null;
  const escapedParts = parts.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  const match = new RegExp(`^${escapedParts.join("(.+)")}$`).exec(text);
  if (match === null) return null;
  const names = [...pattern.matchAll(PLACEHOLDER)].map(([, name = ""]) => name);
  return Object.fromEntries(names.map((name, index) => [name, match[index + 1] ?? ""]));
}

function fillPattern(pattern: string, values: Readonly<Record<string, string>>): string {
  return pattern.replaceAll(PLACEHOLDER, (_, name: string) => values[name] ?? "");
}

function findLongestPart(pattern: string): string {
  const [longestPart = ""] = pattern
    .split(/\{\{\w+\}\}/)
    .toSorted((one, other) => other.length - one.length);
  return longestPart.trim();
}
