import type { MailboxMessage } from "#apps/app.ts";
import { decodeExtras, type Extras } from "../../extras.ts";
import type { NtfyAction } from "../action.ts";
import type { NtfyAttachment, NtfyMessage } from "../message.ts";
import { cleanFileName } from "../message-text.ts";
import type { NtfyPriority } from "../priority.ts";
import { removeEmoji } from "../tags.ts";

/** Returns a notification as a message of ntfy. Parts that its sender gave to ntfy are those of the sender. */
export function createAppMessage(message: MailboxMessage, topic: string): NtfyMessage {
  const extras = decodeExtras(message.extras);
  const tags = extras.tags ?? [];
  return {
    topic,
    // Apps show the emoji of tags before the title by themselves.
    title: removeEmoji(message.title, tags),
    text: message.body,
    priority: findPriority(message, extras),
    tags,
    click: message.link ?? "",
    icon: message.icon ?? extras.icon ?? "",
    attachment: findAttachment(message, extras),
    actions: (extras.actions ?? []) as readonly NtfyAction[], // Only the API of ntfy stores them.
    isMarkdown: message.markdown,
    sequenceId: extras.sequenceId ?? "",
  };
}

/** Null stands for the default priority, 3. */
const PRIORITIES = { low: 2, normal: null, high: 4, emergency: 5 } as const;

function findPriority(
  { priority, timeSensitive }: MailboxMessage,
  extras: Extras,
): NtfyPriority | null {
  // The extras have the priority on ntfy's scale.
  if (extras.priority !== undefined) return extras.priority as NtfyPriority;
  const ownPriority = PRIORITIES[priority];
  return timeSensitive ? (Math.max(4, ownPriority ?? 3) as NtfyPriority) : ownPriority;
}

/** Apps show a picture that is attached. */
function findAttachment({ image }: MailboxMessage, { attachment }: Extras): NtfyAttachment | null {
  const url = attachment?.url ?? image;
  if (url === null) return null;
  const lastSegment = URL.parse(url)?.pathname.split("/").at(-1) ?? "";
  return { name: attachment?.name ?? cleanFileName(lastSegment), url };
}
