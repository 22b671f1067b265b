import i18next from "i18next";

/** Matches text without visible characters: spaces, controls, and direction and width marks. */
const BLANK_PATTERN = /^[\s\p{Z}\p{C}]*$/u;

/** Returns the title of a notification; a generic title if it is blank. */
export function getDisplayTitle({ title }: { readonly title: string }): string {
  return isBlank(title) ? i18next.t("feed.untitled") : title;
}

/** Returns whether a text has no visible character. */
export function isBlank(text: string): boolean {
  return BLANK_PATTERN.test(text);
}
