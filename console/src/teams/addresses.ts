/** What e-mail addresses stand between, as people paste them. */
const BETWEEN = /[\s,;<>]+/;

/** Returns the e-mail addresses in a text, each once, in their order; words without an @ are passed over. */
export function addressesIn(text: string): readonly string[] {
  const words = text.split(BETWEEN).filter((word) => word.includes("@"));
  return [...new Map(words.map((word) => [word.toLowerCase(), word])).values()];
}
