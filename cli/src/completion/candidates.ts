import type { CommandDescription, Option } from "../description.ts";

/** Returns the hint that a shell shows next to a candidate: the first clause of its description. */
export function getHint(description: string): string {
  const [first = description] = description.split("; ", 1);
  return first;
}

/** Returns the options of a command, including `--help`. */
export function listOptions({
  options,
}: CommandDescription): readonly (readonly [name: string, option: Option])[] {
  return [...Object.entries(options), ["help", { type: "boolean", about: "show how to use it" }]];
}

/** A first word of a command line, with the hint that a shell shows next to it. */
export interface FirstWord {
  readonly word: string;
  readonly hint: string;
  /** The words that may follow the first word; empty for a one-word command. */
  readonly secondWords: readonly SecondWord[];
}

/** The second word of a two-word command. */
export interface SecondWord {
  readonly word: string;
  readonly hint: string;
}

/** Returns the first words of all commands, without duplicates. */
export function listFirstWords(descriptions: readonly CommandDescription[]): readonly FirstWord[] {
  const words = new Map<string, FirstWord>();
  for (const { name, summary } of descriptions) {
    const [first = name, second] = name.split(" ");
    const knownSecondWords = words.get(first)?.secondWords ?? [];
    const secondWords =
      second === undefined ? [] : [...knownSecondWords, { word: second, hint: summary }];
    const hint = second === undefined ? summary : secondWords.map(({ word }) => word).join(", ");
    words.set(first, { word: first, hint, secondWords });
  }
  return [...words.values()];
}
