import { cutToBytes } from "../cut.ts";
import { fitMessage, type Form } from "../fit.ts";
import type { Message } from "../provider.ts";

/** What Apple takes of an alert; one byte more is `PayloadTooLarge`. */
const MAX_PAYLOAD_BYTES = 4_096;

/**
 * Returns the JSON of a message (Apple, "Generating a remote notification"), at most `MAX_PAYLOAD_BYTES` long, or null
 * where its link alone is too long. To fit, it cuts the body, then drops the image, then cuts the title, and never the
 * link; text is cut between graphemes and marked by `truncated`.
 */
export function buildPayload(message: Message): Buffer | null {
  return fitMessage(FORM, message);
}

const FORM: Form<Buffer> = {
  limitBytes: MAX_PAYLOAD_BYTES,
  shape: (message, isTruncated) =>
    Buffer.from(JSON.stringify({ ...shape(message), ...(isTruncated ? { truncated: 1 } : {}) })),
  sizeOf: ({ length }) => length,
  cut: cutToBytes,
};

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
