import { parseIdTime } from "#ids.ts";
import type { NtfyMessage } from "./message.ts";

/** A message, and the notification that was sent for it. */
export interface SentNtfyMessage {
  readonly message: NtfyMessage;
  readonly notificationId: string;
  readonly ttlSeconds: number;
}

/**
 * Returns the answer to a message, as ntfy writes it: times are in seconds since the epoch, and members that are not set are
 * absent, because clients read it into fixed types (binwiederhier/ntfy: server/types.go).
 */
export function createNtfyAnswer({ message, notificationId, ttlSeconds }: SentNtfyMessage) {
  const { topic, title, text, priority, tags, click, icon, attachment, actions } = message;
  // A repeated request is answered with the time of the first.
  const time = Math.floor(parseIdTime(notificationId) / 1_000);
  return {
    id: notificationId,
    time,
    expires: time + ttlSeconds,
    event: "message",
    topic,
    ...(title === "" ? {} : { title }),
    message: text,
    ...(priority === null ? {} : { priority }),
    ...(tags.length === 0 ? {} : { tags }),
    ...(click === "" ? {} : { click }),
    ...(icon === "" ? {} : { icon }),
    ...(actions.length === 0 ? {} : { actions }),
    ...(attachment === null ? {} : { attachment }),
    ...(message.isMarkdown ? { content_type: "text/markdown" } : {}),
  };
}
