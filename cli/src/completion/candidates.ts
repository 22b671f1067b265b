import type { Description, Option } from "../description.ts";

/** What a shell shows beside a candidate. */
export function hintOf(about: string): string {
  const [first = about] = about.split("; ", 1);
  return first;
}

/** Returns the options of a command and `--help`, which each has. */
export function optionsOf({ options }: Description): readonly (readonly [string, Option])[] {
  return [...Object.entries(options), ["help", { type: "boolean", about: "how it is used" }]];
}

/** The words with which a command line may begin, each once, with what a shell shows beside it. */
export function firstWords(
  descriptions: readonly Description[],
): readonly (readonly [string, string])[] {
  const words = new Map<string, string>();
  for (const { name, summary } of descriptions) {
    const [first = name, second] = name.split(" ");
    words.set(first, second === undefined ? summary : `with ${second}: ${summary}`);
  }
  return [...words];
}

/** Returns the commands of two words, as pairs. */
export function wordPairs(descriptions: readonly Description[]): readonly PairedCommand[] {
  return descriptions.flatMap(({ name, summary }) => {
    const [first = name, second] = name.split(" ");
    return second === undefined ? [] : [{ first, second, summary }];
  });
}

/** A command of two words. */
export interface PairedCommand {
  readonly first: string;
  readonly second: string;
  readonly summary: string;
}
