import type { Message } from "../provider.ts";
import { MAX_PLAINTEXT_BYTES } from "./encrypt.ts";
import { cutToBytes } from "../cut.ts";
import { cutTitle, fitMessage, type Form } from "../fit.ts";

export interface PayloadRequest {
  readonly message: Message;
  /** The public address of this server; a path in it is kept. */
  readonly baseUrl: string;
}

/** What stands in for an empty title: declarative Web Push shows nothing without one. */
const PRODUCT_NAME = "Tocsin";

/** Fits Mozilla's bridge to FCM, which takes less than the 4096 bytes of the standard. */
const SHORT_FORM_BYTES = 2_600;

/**
 * Returns the JSON of a message in the declarative format (W3C Push API, "declarative push message"), at most
 * `MAX_PLAINTEXT_BYTES` long, or null where its link alone is too long. To fit, it cuts the body, then drops the
 * image, then cuts the title, and never the link; text is cut between graphemes and marked by `data.truncated`.
 */
export function buildPayload({ message, baseUrl }: PayloadRequest): Buffer | null {
  return fitMessage(formOf(baseUrl, MAX_PLAINTEXT_BYTES), titled(message));
}

/** Returns the title and the link alone, for a push service that found the whole message too large; null as above. */
export function buildShortPayload({ message, baseUrl }: PayloadRequest): Buffer | null {
  const form = formOf(baseUrl, SHORT_FORM_BYTES);
  const short = { ...titled(message), body: "", image: null };
  const whole = form.shape(short, message.body !== "");
  return whole.length <= form.limitBytes ? whole : cutTitle(form, short);
}

function formOf(baseUrl: string, limitBytes: number): Form<Buffer> {
  return {
    limitBytes,
    shape: (message, isTruncated) =>
      Buffer.from(JSON.stringify(shape({ message, baseUrl }, isTruncated))),
    sizeOf: ({ length }) => length,
    cut: cutToBytes,
  };
}

function shape({ message, baseUrl }: PayloadRequest, isTruncated: boolean) {
  const { notificationId: id, title, body, image, channel, sound, link } = message;
  const { createdAt, timeSensitive } = message;
  return {
    web_push: 8030,
    notification: {
      title,
      body,
      navigate: pageOf(baseUrl, id),
      tag: id,
      dir: "auto",
      silent: false,
      ...(image === null ? {} : { image }),
      ...(timeSensitive ? { requireInteraction: true } : {}),
      data: {
        id,
        channel,
        sound,
        ts: Math.floor(createdAt / 1000),
        link,
        ...(isTruncated ? { truncated: 1 } : {}),
      },
    },
    // The worker is not woken where the system can show the message by itself: no penalty, no time limit.
    mutable: false,
  };
}

/** A page of ours that leads on to the link: an installed app on iOS opens only pages of its own origin. */
function pageOf(baseUrl: string, id: string): string {
  const base = baseUrl.endsWith("/") ? baseUrl : `${baseUrl}/`;
  return new URL(`n/${encodeURIComponent(id)}`, base).href;
}

function titled(message: Message): Message {
  return message.title.trim() === "" ? { ...message, title: PRODUCT_NAME } : message;
}
