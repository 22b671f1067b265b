/** The result of parsing a list of email addresses. */
export interface ParsedEmails {
  /** In order, without duplicates. */
  readonly emails: readonly string[];
  /** All other words. They may be mistyped addresses. */
  readonly unrecognizedWords: readonly string[];
}

/** Separators between pasted addresses. */
const ADDRESS_SEPARATORS = /[\s,;]+/;
/** An address in angle brackets with the name before it, the format of mail programs. */
const NAMED_ADDRESS =
  /(?:"[^"\n]*"|(?<=^|[\s>,;])(?:[^\s<>,;@"]+[^\S\n]+)*[^\s<>,;@"]*)?[^\S\n]*<([^<>]*)>/g;
/** A plausible address. The server validates it. */
const PLAUSIBLE_ADDRESS = /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/;

/** Returns the email addresses in a pasted text, and the words that are not addresses. */
export function parseEmails(text: string): ParsedEmails {
  const words = text
    .replaceAll(NAMED_ADDRESS, " $1 ")
    .split(ADDRESS_SEPARATORS)
    .filter((word) => word !== "");
  const uniqueWords = [...new Map(words.map((word) => [word.toLowerCase(), word])).values()];
  return {
    emails: uniqueWords.filter((word) => PLAUSIBLE_ADDRESS.test(word)),
    unrecognizedWords: uniqueWords.filter((word) => !PLAUSIBLE_ADDRESS.test(word)),
  };
}
