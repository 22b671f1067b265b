import { parseIdTime } from "#ids.ts";
import { createMessageEvent } from "./event.ts";
import type { NtfyMessage } from "./message.ts";

/** A message, and the notification that was sent for it. */
export interface SentNtfyMessage {
  readonly message: NtfyMessage;
  readonly notificationId: string;
  readonly ttlSeconds: number;
}

/** Returns the answer to a message: the event that its subscribers get. */
export function createNtfyAnswer({ message, notificationId, ttlSeconds }: SentNtfyMessage) {
  // A repeated request is answered with the time of the first.
  const time = Math.floor(parseIdTime(notificationId) / 1_000);
  return createMessageEvent(message, { id: notificationId, time, expires: time + ttlSeconds });
}
