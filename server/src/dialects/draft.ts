import { LIMITS, type NotificationContent, type Priority } from "@tocsin/sdk";
import { parseContent } from "#content/content.ts";
import { readUrl } from "#content/readers.ts";
import { AppError } from "#errors.ts";

/** The content of a notification in another service's API. */
export interface ForeignContent {
  readonly title: string;
  readonly body: string;
  readonly channel: string | null;
  readonly link?: string | null;
  readonly image?: string | null;
  readonly icon?: string | null;
  readonly priority: Priority;
  readonly timeSensitive: boolean;
  readonly markdown: boolean;
}

/**
 * Returns the draft of a notification. The alert must arrive, so a text that is too long is cut, and a URL that a
 * notification must not contain is left out. Throws `invalid_field` if title and body are empty, or if the channel is invalid.
 */
export function createDraft(content: ForeignContent): NotificationContent {
  const { title, body, channel, priority, timeSensitive, markdown } = content;
  const fields = {
    title: cut(title, LIMITS.titleLength),
    body: cut(body, LIMITS.bodyLength),
    channel,
    link: findUsableUrl("link", [content.link]),
    image: findUsableUrl("image", [content.image]),
    icon: findUsableUrl("icon", [content.icon]),
    priority,
    timeSensitive,
    markdown,
  };
  return parseContent({ fields, flagFormat: "booleans" });
}

/** Returns a text of at most `lengthMax` characters, with an ellipsis if it was cut. */
function cut(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text;
  const characters = Array.from(text);
  return characters.length <= lengthMax ? text : `${characters.slice(0, lengthMax - 1).join("")}…`;
}

/** Returns the first text that is a valid URL for the field; null if there is none. */
export function findUsableUrl(
  name: "link" | "image" | "icon",
  texts: readonly (string | null | undefined)[],
): string | null {
  const urls = texts.map((text) => readUsableUrl(name, text));
  return urls.find((url) => url !== null) ?? null;
}

function readUsableUrl(name: "link" | "image" | "icon", text: string | null | undefined) {
  try {
    return readUrl({ fields: { [name]: text }, flagFormat: "booleans" }, name);
  } catch (error) {
    if (error instanceof AppError && error.code === "invalid_field") return null;
    throw error;
  }
}
