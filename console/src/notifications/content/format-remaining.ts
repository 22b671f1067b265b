import i18next from "i18next";
import { countRemainingCharacters } from "./count-remaining-characters.ts";

/** Returns a text about the number of characters that are left or too many; null while many are left. */
export function formatRemaining(text: string, limit: number): string | null {
  const remaining = countRemainingCharacters(text, limit);
  if (remaining === null) return null;
  return remaining < 0
    ? i18next.t("content.over", { count: -remaining })
    : i18next.t("content.remaining", { count: remaining });
}
