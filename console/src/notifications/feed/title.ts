import i18next from "i18next";

/** Nothing that can be seen: spaces, controls, marks of direction and width. */
const BLANK = /^[\s\p{Z}\p{C}]*$/u;

/** Returns what a notification is called in lists and headings; one without a title that can be seen has a common name. */
export function titleOf({ title }: { readonly title: string }): string {
  return isBlank(title) ? i18next.t("feed.untitled") : title;
}

/** Returns whether nothing of a text can be seen. */
export function isBlank(text: string): boolean {
  return BLANK.test(text);
}
