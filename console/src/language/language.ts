import i18next from "i18next";
import { initReactI18next } from "react-i18next";
import type { texts as pageTexts } from "./en-pages.ts";
import type { texts } from "./en.ts";

/** Languages of the console by code, each named in itself. */
export const LANGUAGES = { en: "English", de: "Deutsch" } as const;

/** Code of a language of the console. */
export type Language = keyof typeof LANGUAGES;

declare module "i18next" {
  interface CustomTypeOptions {
    readonly defaultNS: "translation";
    readonly resources: { readonly translation: typeof texts & typeof pageTexts };
  }
}

const STORAGE_KEY = "tocsin.language";

type LoadTexts = () => Promise<{ readonly texts: object }>;

/** Loaders of the texts that every visit needs, and of those for pages that a visit may never open. */
const TEXTS: Readonly<Record<Language, { readonly first: LoadTexts; readonly pages: LoadTexts }>> =
  {
    en: { first: () => import("./en.ts"), pages: () => import("./en-pages.ts") },
    de: { first: () => import("./de.ts"), pages: () => import("./de-pages.ts") },
  };

/** Loads the first texts, in the language chosen in this browser, else in the browser's own. */
export async function startLanguage(): Promise<void> {
  const language = languageOf([localStorage.getItem(STORAGE_KEY) ?? "", ...navigator.languages]);
  const { texts: translation } = await TEXTS[language].first();
  await i18next.use(initReactI18next).init({
    lng: language,
    resources: { [language]: { translation } },
    // React escapes texts itself.
    interpolation: { escapeValue: false },
  });
  document.documentElement.lang = language;
}

/** Loads the texts of all pages. */
export async function loadPageTexts(language: Language = currentLanguage()): Promise<void> {
  const { texts: translation } = await TEXTS[language].pages();
  i18next.addResourceBundle(language, "translation", translation, true);
}

/** Changes the language of the page and of later visits in this browser. */
export async function changeLanguage(language: Language): Promise<void> {
  const { texts: translation } = await TEXTS[language].first();
  i18next.addResourceBundle(language, "translation", translation, true);
  await loadPageTexts(language);
  await i18next.changeLanguage(language);
  localStorage.setItem(STORAGE_KEY, language);
  document.documentElement.lang = language;
}

/** Returns the current language. */
export function currentLanguage(): Language {
  return languageOf([i18next.language]);
}

/** Returns the locale for dates and numbers: the current language with the region that the browser names. */
export function currentLocale(): string {
  return localeOf(currentLanguage(), navigator.languages);
}

/**
 * Returns a language with a region, `en-GB`: the region of the first of the browser's languages that matches, else of
 * the first that has any. Without one, English dates would be American.
 */
export function localeOf(language: Language, tags: readonly string[]): string {
  const found = tags.map((tag) => REGIONAL.exec(tag)).filter((match) => match !== null);
  const best = found.find(([, code]) => code === language) ?? found[0];
  return best === undefined ? language : `${language}-${best[2]}`;
}

/**
 * Language, perhaps a script, and region. A parser would not do: browsers also give invalid tags such as `en-US@posix`.
 */
const REGIONAL = /^([a-z]{2,3})(?:-[A-Z][a-z]{3})?-([A-Z]{2}|\d{3})\b/;

/** Returns the first language of the list that the console has; of a tag such as `de-AT`, the first part counts. */
function languageOf(tags: readonly string[]): Language {
  const codes = tags.map((tag) => tag.split("-")[0] ?? "");
  return codes.find(isLanguage) ?? "en";
}

/** Returns whether a code is that of a language of the console. */
export function isLanguage(code: string): code is Language {
  return Object.hasOwn(LANGUAGES, code);
}
