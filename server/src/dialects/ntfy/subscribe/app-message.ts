import type { MailboxMessage } from "#apps/app.ts";
import { decodeExtras, type Extras } from "../../extras.ts";
import type { NtfyAction } from "../action.ts";
import type { NtfyAttachment, NtfyMessage } from "../message.ts";
import { cleanFileName } from "../message-text.ts";
import { NTFY_PRIORITY_DEFAULT, type NtfyPriority } from "../priority.ts";
import { removeEmoji } from "../tags.ts";

/** Returns a notification as a message of ntfy. Parts that came by ntfy's API are unchanged. */
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

/** ntfy's priorities for those of a notification. Null stands for the default priority. */
const PRIORITIES = { low: 2, normal: null, high: 4, emergency: 5 } as const;
/** The lowest priority of a time-sensitive message. */
const TIME_SENSITIVE_MIN = 4;

function findPriority(
  { priority, timeSensitive }: MailboxMessage,
  extras: Extras,
): NtfyPriority | null {
  // The extras have the priority on ntfy's scale.
  if (extras.priority !== undefined) return extras.priority as NtfyPriority;
  const ownPriority = PRIORITIES[priority];
  if (!timeSensitive) return ownPriority;
  return Math.max(TIME_SENSITIVE_MIN, ownPriority ?? NTFY_PRIORITY_DEFAULT) as NtfyPriority; // The larger of two.
}

/** Returns the attachment, or else the picture, because apps show an attached picture; null if there is neither. */
function findAttachment({ image }: MailboxMessage, { attachment }: Extras): NtfyAttachment | null {
  const url = attachment?.url ?? image;
  if (url === null) return null;
  const lastSegment = URL.parse(url)?.pathname.split("/").at(-1) ?? "";
  return { name: attachment?.name ?? cleanFileName(lastSegment), url };
}
