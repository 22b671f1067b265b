import i18next from "i18next";

/** Only invisible characters: spaces, controls, marks of direction and width. */
const BLANK = /^[\s\p{Z}\p{C}]*$/u;

/** Returns the title of a notification for lists and headings; one without a visible title gets a generic name. */
export function titleOf({ title }: { readonly title: string }): string {
  return isBlank(title) ? i18next.t("feed.untitled") : title;
}

/** Returns whether a text has no visible character. */
export function isBlank(text: string): boolean {
  return BLANK.test(text);
}
