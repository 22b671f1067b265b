import type { AddressedMessage } from "#apps/app-streams.ts";
import { createMessageEvent, type NtfyEvent } from "../event.ts";
import type { NtfyMessage } from "../message.ts";
import { createAppMessage } from "./app-message.ts";

/** The maximum size of a text, in bytes of UTF-8. */
const TEXT_MAX_BYTES = 16 * 1024;
/** Go's line scanner, with which ntfy's command line reads, gives up at longer lines (binwiederhier/ntfy: client/client.go). */
const LINE_MAX_BYTES = 64 * 1024 - 1;

/** An event as it is written. */
export interface EncodedEvent {
  readonly event: NtfyEvent["event"];
  /** The text of a message; "" for other events. */
  readonly text: string;
  readonly json: string;
}

/** The parts that are left out of an event that is too long, the least important first. */
const LEFT_OUT_FIRST: readonly Partial<NtfyMessage>[] = [
  { actions: [] },
  { attachment: null },
  { icon: "" },
  { tags: [] },
  { click: "" },
];

/**
 * Returns the event with which an app gets a message, as JSON of less than 64 KiB. A text of more than 16 KiB is cut, and
 * the message then leads to the page of the notification unless it has a link.
 */
export function encodeAppMessage(
  { topic, message }: AddressedMessage,
  { baseUrl }: { readonly baseUrl: string },
): EncodedEvent {
  const { notificationId: id, createdAt, expiresAt } = message;
  const times = { time: toSeconds(createdAt), expires: toSeconds(expiresAt) };
  let shown = shortenText(createAppMessage(message, topic), `${baseUrl}/n/${id}`);
  const encode = () => encodeEvent(createMessageEvent(shown, { id, ...times }));
  let encoded = encode();
  for (const withoutPart of LEFT_OUT_FIRST) {
    if (Buffer.byteLength(encoded.json) <= LINE_MAX_BYTES) break;
    shown = { ...shown, ...withoutPart };
    encoded = encode();
  }
  return encoded;
}

/** Returns an event as JSON in one line, also for programs that end lines at other characters than `\n`. */
export function encodeEvent(event: NtfyEvent): EncodedEvent {
  const json = JSON.stringify(event).replaceAll(
    /[\u007f-\u009f\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return { event: event.event, text: event.message ?? "", json };
}

function shortenText(message: NtfyMessage, pageUrl: string): NtfyMessage {
  const bytes = Buffer.from(message.text);
  if (bytes.length <= TEXT_MAX_BYTES) return message;
  const kept = bytes.subarray(0, TEXT_MAX_BYTES - Buffer.byteLength(ELLIPSIS));
  // The cut may be within a character, whose bytes are then left out.
  const text = `${new TextDecoder().decode(kept, { stream: true })}${ELLIPSIS}`;
  return { ...message, text, click: message.click === "" ? pageUrl : message.click };
}

const ELLIPSIS = "…";

/** Returns a time as ntfy writes it: whole seconds since the epoch. */
export function toSeconds(timeMs: number): number {
  return Math.floor(timeMs / 1_000);
}
