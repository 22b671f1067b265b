import { nameToEmoji } from "gemoji";

/** The generated file. */
export const EMOJI_NAMES_FILE = "server/src/dialects/ntfy/emoji-names.ts";

/** Returns a module with GitHub's names of emoji as one text, which is small, and needs no package at run time. */
export async function renderEmojiNames(): Promise<string> {
  const pairs = Object.entries(nameToEmoji).map(([name, emoji]) => `${name} ${emoji}`);
  return `// Written by \`npm run dump\` from the package gemoji (MIT licence); never edited.

/** GitHub's names of emoji in alphabetical order, each followed by its emoji, separated by spaces. */
export const EMOJI_NAMES =
  "${pairs.toSorted().join(" ")}";
`;
}
