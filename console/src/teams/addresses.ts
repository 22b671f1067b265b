/** Addresses in a text, each once and in order. */
export interface Addresses {
  readonly emails: readonly string[];
  /** All other words, which may be mistyped addresses. */
  readonly unknown: readonly string[];
}

/** Separators that people paste between addresses. */
const BETWEEN = /[\s,;]+/;
/** A name before an address in angle brackets, as mail programs write it. */
const NAMED =
  /(?:"[^"\n]*"|(?<=^|[\s>,;])(?:[^\s<>,;@"]+[^\S\n]+)*[^\s<>,;@"]*)?[^\S\n]*<([^<>]*)>/g;
/** Form of an address; the server decides. */
const ADDRESS = /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/;

/** Returns the e-mail addresses in a text, however they were pasted, and the words that are not addresses. */
export function addressesIn(text: string): Addresses {
  const words = text
    .replaceAll(NAMED, " $1 ")
    .split(BETWEEN)
    .filter((word) => word !== "");
  const once = [...new Map(words.map((word) => [word.toLowerCase(), word])).values()];
  return {
    emails: once.filter((word) => ADDRESS.test(word)),
    unknown: once.filter((word) => !ADDRESS.test(word)),
  };
}
