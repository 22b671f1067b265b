import type { NtfyMessage } from "./message.ts";

/** An event of a topic, as ntfy's programs read it. A member that is not set is absent, never null. */
export interface NtfyEvent {
  readonly id: string;
  /** Seconds since the epoch. */
  readonly time: number;
  readonly event: "open" | "keepalive" | "message" | "message_clear";
  /** For `open` and `keepalive`, all topics of the connection, separated by commas. */
  readonly topic: string;
  readonly message?: string;
  readonly sequence_id?: string;
}

/** The time of a message, and the time at which it expires, in seconds since the epoch. */
export interface MessageTime {
  readonly time: number;
  readonly expires: number;
}

/**
 * Returns the event of a message. Members that are not set are absent, because clients read an event into fixed types
 * (binwiederhier/ntfy: server/types.go).
 */
export function createMessageEvent(
  { topic, title, text, priority, tags, click, icon, ...message }: NtfyMessage,
  { id, time, expires }: MessageTime & { readonly id: string },
) {
  const { actions, attachment, isMarkdown, sequenceId } = message;
  return {
    id,
    time,
    expires,
    event: "message",
    ...(sequenceId === "" ? {} : { sequence_id: sequenceId }),
    topic,
    ...(title === "" ? {} : { title }),
    message: text,
    ...(priority === null ? {} : { priority }),
    ...(tags.length === 0 ? {} : { tags }),
    ...(click === "" ? {} : { click }),
    ...(icon === "" ? {} : { icon }),
    ...(actions.length === 0 ? {} : { actions }),
    ...(attachment === null ? {} : { attachment }),
    ...(isMarkdown ? { content_type: "text/markdown" } : {}),
  } as const satisfies NtfyEvent & Readonly<Record<string, unknown>>;
}
