import { invalidField } from "#errors.ts";

const QUERY_LENGTH_MAX = 200;
const WORDS_MAX = 8;

/** Returns the words of a search, none for an empty one; throws `invalid_field` above 200 characters or 8 words. */
export function parseWords(text: string): readonly string[] {
  if (text.length > QUERY_LENGTH_MAX) {
    throw invalidField("q", `q must have at most ${QUERY_LENGTH_MAX} characters.`);
  }
  const words = text.split(/\s+/u).filter((word) => word !== "");
  if (words.length > WORDS_MAX) throw invalidField("q", `q must have at most ${WORDS_MAX} words.`);
  return words;
}
