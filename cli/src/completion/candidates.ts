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

/** A word with which a command line may begin, with what a shell shows beside it. */
export interface FirstWord {
  readonly word: string;
  readonly hint: string;
  /** The words that may follow it; none where it is a command by itself. */
  readonly seconds: readonly SecondWord[];
}

/** The second word of a command of two. */
export interface SecondWord {
  readonly word: string;
  readonly hint: string;
}

/** Returns the words with which a command line may begin, each once. */
export function firstWords(descriptions: readonly Description[]): readonly FirstWord[] {
  const words = new Map<string, FirstWord>();
  for (const { name, summary } of descriptions) {
    const [first = name, second] = name.split(" ");
    const before = words.get(first)?.seconds ?? [];
    const seconds = second === undefined ? [] : [...before, { word: second, hint: summary }];
    const hint = second === undefined ? summary : seconds.map(({ word }) => word).join(", ");
    words.set(first, { word: first, hint, seconds });
  }
  return [...words.values()];
}
