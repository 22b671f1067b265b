import { EMOJI_NAMES } from "./emoji-names.ts";

/** Returns the tags in a text that separates them by commas. */
export function splitTags(text: string): readonly string[] {
  return text
    .split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");
}

/** Returns a title after the emoji that its tags name, as ntfy's apps show it. */
export function addEmoji(title: string, tags: readonly string[]): string {
  return [...listEmoji(tags), title].filter((part) => part !== "").join(" ");
}

/** Returns a title without the emoji that `addEmoji` put before it. */
export function removeEmoji(title: string, tags: readonly string[]): string {
  const prefix = listEmoji(tags).join(" ");
  if (prefix === "" || title === prefix) return title.slice(prefix.length);
  return title.startsWith(`${prefix} `) ? title.slice(prefix.length + 1) : title;
}

function listEmoji(tags: readonly string[]): readonly string[] {
  if (tags.length === 0) return [];
  emojiByName ??= readEmojiNames();
  return tags.flatMap((tag) => emojiByName?.get(tag) ?? []);
}

/** Read for the first message with tags, because most have none. */
let emojiByName: ReadonlyMap<string, string> | undefined;

function readEmojiNames(): ReadonlyMap<string, string> {
  const parts = EMOJI_NAMES.split(" ");
  const names = parts.filter((_part, index) => index % 2 === 0);
  return new Map(names.map((name, index) => [name, parts[index * 2 + 1] ?? ""]));
}
