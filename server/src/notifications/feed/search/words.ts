import { invalidField } from "#errors.ts";

const TEXT_LENGTH_MAX = 200;
const WORDS_MAX = 8;

/**
 * Splits the text of a search into its words; an empty text has none. Throws `invalid_field` if it has more than 200
 * characters or 8 words.
 */
export function parseSearchWords(text: string): readonly string[] {
  if (text.length > TEXT_LENGTH_MAX) {
    throw invalidField("q", `q must have at most ${TEXT_LENGTH_MAX} characters.`);
  }
  const words = text.split(/\s+/u).filter((word) => word !== "");
  if (words.length > WORDS_MAX) throw invalidField("q", `q must have at most ${WORDS_MAX} words.`);
  return words;
}
