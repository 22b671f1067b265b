import i18next from "i18next";
import { countRemainingCharacters } from "./count-remaining-characters.ts";

/** Returns the number of characters that a text may still have, or has too many, as text; null while there are many. */
export function formatRemaining(text: string, limit: number): string | null {
  const remaining = countRemainingCharacters(text, limit);
  if (remaining === null) return null;
  return remaining < 0
    ? i18next.t("content.over", { count: -remaining })
    : i18next.t("content.remaining", { count: remaining });
}
