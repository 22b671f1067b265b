import i18next from "i18next";
import { initReactI18next } from "react-i18next";
import type { texts as pageTexts } from "./en-pages.ts";
import type { texts } from "./en.ts";

/** Languages of the console: the name of each in that language, by its code. */
export const LANGUAGES = { en: "English", de: "Deutsch" } as const;

/** The code of a console language. */
export type Language = keyof typeof LANGUAGES;

declare module "i18next" {
  interface CustomTypeOptions {
    readonly defaultNS: "translation";
    readonly resources: { readonly translation: typeof texts & typeof pageTexts };
  }
}

const STORAGE_KEY = "tocsin.language";

type LoadTexts = () => Promise<{ readonly texts: object }>;

/** Loaders of the texts: `feed` for the frame and the feed, `pages` for all other pages. */
const TEXT_LOADERS: Readonly<
  Record<Language, { readonly feed: LoadTexts; readonly pages: LoadTexts }>
> = {
  en: { feed: () => import("./en.ts"), pages: () => import("./en-pages.ts") },
  de: { feed: () => import("./de.ts"), pages: () => import("./de-pages.ts") },
};

/**
 * Loads the texts of the frame and the feed, in the language chosen in this browser or otherwise in the browser's
 * language.
 */
export async function initializeLanguage(): Promise<void> {
  const language = findLanguage([localStorage.getItem(STORAGE_KEY) ?? "", ...navigator.languages]);
  const { texts: translation } = await TEXT_LOADERS[language].feed();
  await i18next.use(initReactI18next).init({
    lng: language,
    resources: { [language]: { translation } },
    // React escapes text.
    interpolation: { escapeValue: false },
  });
  document.documentElement.lang = language;
}

/** Loads the texts of all pages. */
export async function loadPageTexts(language: Language = getCurrentLanguage()): Promise<void> {
  const { texts: translation } = await TEXT_LOADERS[language].pages();
  i18next.addResourceBundle(language, "translation", translation, true);
}

/** Changes the language of the console in this browser. */
export async function changeLanguage(language: Language): Promise<void> {
  const { texts: translation } = await TEXT_LOADERS[language].feed();
  i18next.addResourceBundle(language, "translation", translation, true);
  await loadPageTexts(language);
  await i18next.changeLanguage(language);
  localStorage.setItem(STORAGE_KEY, language);
  document.documentElement.lang = language;
}

/** Returns the current language. */
export function getCurrentLanguage(): Language {
  return findLanguage([i18next.language]);
}

/** Returns the locale for dates and numbers: the current language and the browser's region. */
export function getCurrentLocale(): string {
  return toLocale(getCurrentLanguage(), navigator.languages);
}

/**
 * Returns a language with a region, such as `en-GB`. The region comes from the browser's first matching language, or
 * otherwise from the first that has a region. Without a region, English dates would use the American format.
 */
export function toLocale(language: Language, tags: readonly string[]): string {
  const regionalMatches = tags
    .map((tag) => REGIONAL_TAG.exec(tag))
    .filter((match) => match !== null);
  const bestMatch = regionalMatches.find(([, code]) => code === language) ?? regionalMatches[0];
  return bestMatch === undefined ? language : `${language}-${bestMatch[2]}`;
}

/**
 * Language, optional script, and region. `Intl.Locale` would throw: browsers also return invalid tags like
 * `en-US@posix`.
 */
const REGIONAL_TAG = /^([a-z]{2,3})(?:-[A-Z][a-z]{3})?-([A-Z]{2}|\d{3})\b/;

/** Returns the first console language in a list of language tags; English if there is none. */
function findLanguage(tags: readonly string[]): Language {
  const codes = tags.map((tag) => tag.split("-")[0] ?? "");
  return codes.find(isLanguage) ?? "en";
}

/** Returns whether the console has a language with this code. */
export function isLanguage(code: string): code is Language {
  return Object.hasOwn(LANGUAGES, code);
}
