import { EMOJI_NAMES } from "./emoji-names.ts";

/** Returns the tags in a text that separates them by commas. */
export function splitTags(text: string): readonly string[] {
  return text
    .split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");
}

/** Returns a title with the emoji that its tags name before it, as ntfy's apps show it. */
export function addEmoji(title: string, tags: readonly string[]): string {
  if (tags.length === 0) return title;
  emojiByName ??= readEmojiNames();
  const emoji = tags.flatMap((tag) => emojiByName?.get(tag) ?? []);
  return [...emoji, title].filter((part) => part !== "").join(" ");
}

/** Read for the first message with tags, because most have none. */
let emojiByName: ReadonlyMap<string, string> | undefined;

function readEmojiNames(): ReadonlyMap<string, string> {
  const parts = EMOJI_NAMES.split(" ");
  const names = parts.filter((_part, index) => index % 2 === 0);
  return new Map(names.map((name, index) => [name, parts[index * 2 + 1] ?? ""]));
}
