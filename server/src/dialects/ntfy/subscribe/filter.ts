import type { MailboxMessage } from "#apps/app.ts";
import type { ReadNtfyParameter } from "../parameters.ts";
import { NTFY_PRIORITY_DEFAULT, parseNtfyPriority } from "../priority.ts";
import { splitTags } from "../tags.ts";
import { createAppMessage } from "./app-message.ts";

/** Returns whether an app asked for messages like this one. */
export type MessageFilter = (message: MailboxMessage) => boolean;

/** Returns whether a filter may leave messages out. */
export function hasConditions(filter: MessageFilter): boolean {
  return filter !== ACCEPT_ALL;
}

/** Accepts every message. Without conditions, no message is translated for its comparison. */
const ACCEPT_ALL: MessageFilter = () => true;

/**
 * Returns the filter that the parameters of a request describe: `id`, `message` and `title` are compared as a whole; the
 * message has one of the priorities, and all tags. Throws 40007 for an invalid priority. (binwiederhier/ntfy:
 * server/types.go, queryFilter)
 */
export function parseFilter(read: ReadNtfyParameter): MessageFilter {
  const id = read("id");
  const text = read("message");
  const title = read("title");
  const tags = splitTags(read("tags"));
  const priorities = splitTags(read("priority")).map((name) => parseNtfyPriority(name));
  const isConditional =
    [id, text, title].some((value) => value !== "") || tags.length > 0 || priorities.length > 0;
  if (!isConditional) return ACCEPT_ALL;
  return (message) => {
    const shown = createAppMessage(message, "");
    return (
      (id === "" || message.notificationId === id.toLowerCase()) &&
      (text === "" || shown.text === text) &&
      (title === "" || shown.title === title) &&
      (priorities.length === 0 || priorities.includes(shown.priority ?? NTFY_PRIORITY_DEFAULT)) &&
      tags.every((tag) => shown.tags.includes(tag))
    );
  };
}
