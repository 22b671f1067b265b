import type { Message } from "../provider.ts";
import { MAX_PLAINTEXT_BYTES } from "./encrypt.ts";
import { cutToBytes, jsonBytes } from "../cut.ts";

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
export function buildPayload(request: PayloadRequest): Buffer | null {
  const text = textOf(request.message);
  const { image } = request.message;
  const limit = MAX_PLAINTEXT_BYTES;
  return (
    (image === null ? null : cutBody({ request, text, image, limit })) ??
    cutBody({ request, text, image: null, limit }) ??
    cutTitle({ request, text, image: null, limit })
  );
}

/** Returns the title and the link alone, for a push service that found the whole message too large; null as above. */
export function buildShortPayload(request: PayloadRequest): Buffer | null {
  const { title } = textOf(request.message);
  const text = { title, body: "" };
  const limit = SHORT_FORM_BYTES;
  const isShortened = request.message.body !== "";
  const whole = encode(shape({ request, text, image: null, isTruncated: isShortened }));
  if (whole.length <= limit) return whole;
  return cutTitle({ request, text, image: null, limit });
}

interface Text {
  readonly title: string;
  readonly body: string;
}

interface Fit {
  readonly request: PayloadRequest;
  readonly text: Text;
  readonly image: string | null;
  readonly limit: number;
}

/** Keeps the whole title; null where not even one grapheme of the body has room beside it. */
function cutBody({ request, text, image, limit }: Fit): Buffer | null {
  const whole = encode(shape({ request, text, image, isTruncated: false }));
  if (whole.length <= limit) return whole;
  const bare = shape({ request, text: { ...text, body: "" }, image, isTruncated: true });
  const body = cutToBytes(text.body, limit - jsonBytes(bare));
  if (body === "") return null;
  return encode(shape({ request, text: { ...text, body }, image, isTruncated: true }));
}

/** Gives up the body; null where not even one grapheme of the title has room. */
function cutTitle({ request, text, image, limit }: Fit): Buffer | null {
  const bare = shape({ request, text: { title: "", body: "" }, image, isTruncated: true });
  const title = cutToBytes(text.title, limit - jsonBytes(bare));
  if (title === "") return null;
  return encode(shape({ request, text: { title, body: "" }, image, isTruncated: true }));
}

interface Shape extends Omit<Fit, "limit"> {
  readonly isTruncated: boolean;
}

function shape({ request, text, image, isTruncated }: Shape) {
  const { message, baseUrl } = request;
  const { notificationId: id, channel, sound, link, createdAt, timeSensitive } = message;
  return {
    web_push: 8030,
    notification: {
      title: text.title,
      body: text.body,
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

function textOf({ title, body }: Message): Text {
  return { title: title.trim() === "" ? PRODUCT_NAME : title, body };
}

function encode(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}
