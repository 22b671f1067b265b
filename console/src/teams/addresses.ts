/** What a text of addresses holds, each once and in its order. */
export interface Addresses {
  readonly emails: readonly string[];
  /** All other words: they may be addresses with a slip. */
  readonly unknown: readonly string[];
}

/** What people paste between addresses. */
const BETWEEN = /[\s,;]+/;
/** A name before an address in angle brackets, as mail programs write it. */
const NAMED =
  /(?:"[^"\n]*"|(?<=^|[\s>,;])(?:[^\s<>,;@"]+[^\S\n]+)*[^\s<>,;@"]*)?[^\S\n]*<([^<>]*)>/g;
/** Has the form of an address; the server decides. */
const ADDRESS = /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/;

/** Returns the e-mail addresses in a text, however they were pasted, and the words that are none. */
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
