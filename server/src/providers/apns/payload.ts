import { cutToBytes, jsonBytes } from "../cut.ts";
import type { Message } from "../provider.ts";

/** What Apple takes of an alert; one byte more is `PayloadTooLarge`. */
export const MAX_PAYLOAD_BYTES = 4_096;

/**
 * Returns the JSON of a message (Apple, "Generating a remote notification"), at most `MAX_PAYLOAD_BYTES` long, or null
 * where its link alone is too long. To fit, it cuts the body, then drops the image, then cuts the title, and never the
 * link; text is cut between graphemes and marked by `truncated`.
 */
export function buildPayload(message: Message): Buffer | null {
  return (
    (message.image === null ? null : cutBody(message)) ??
    cutBody({ ...message, image: null }) ??
    cutTitle({ ...message, image: null })
  );
}

/** Keeps the whole title; null where not even one grapheme of the body has room beside it. */
function cutBody(message: Message): Buffer | null {
  const whole = encode(shape(message));
  if (whole.length <= MAX_PAYLOAD_BYTES) return whole;
  // With a body of one letter its name and punctuation are counted.
  const bare = jsonBytes(cut({ ...message, body: "x" })) - 1;
  const body = cutToBytes(message.body, MAX_PAYLOAD_BYTES - bare);
  return body === "" ? null : encode(cut({ ...message, body }));
}

/** Gives up the body; null where not even one grapheme of the title has room. */
function cutTitle(message: Message): Buffer | null {
  const bare = jsonBytes(cut({ ...message, title: "x", body: "" })) - 1;
  const title = cutToBytes(message.title, MAX_PAYLOAD_BYTES - bare);
  return title === "" ? null : encode(cut({ ...message, title, body: "" }));
}

function cut(message: Message) {
  return { ...shape(message), truncated: 1 };
}

function shape(message: Message) {
  const { notificationId, channel, link, image, createdAt } = message;
  return {
    aps: apsOf(message),
    id: notificationId,
    channel,
    ...(link === null ? {} : { link }),
    ...(image === null ? {} : { image }),
    ts: Math.floor(createdAt / 1000),
  };
}

function apsOf({ title, body, sound, channel, image, timeSensitive }: Message) {
  return {
    alert: { ...(title === "" ? {} : { title }), ...(body === "" ? {} : { body }) },
    sound: soundOf(sound),
    "thread-id": channel,
    "interruption-level": timeSensitive ? "time-sensitive" : "active",
    ...(timeSensitive ? { "relevance-score": 1 } : {}),
    // Wakes the extension of the app that downloads the image.
    ...(image === null ? {} : { "mutable-content": 1 }),
  };
}

/** The name of a file that the app brings along. */
function soundOf(sound: string | null): string {
  return sound === null || sound === "default" ? "default" : `${sound}.caf`;
}

function encode(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}
