import { hash } from "node:crypto";
import type { Message } from "../provider.ts";
import { MAX_PLAINTEXT_BYTES } from "./encrypt.ts";
import { cutToBytes } from "../cut.ts";
import { FIELDS, type BrowserNotification } from "../fields.ts";
import { cutTitle, fitMessage, withoutDropped, type Form } from "../fit.ts";

export interface PayloadRequest {
  readonly message: Message;
  /** The public address of this server; a path in it is kept. */
  readonly baseUrl: string;
}

/** Replaces an empty title: declarative Web Push shows nothing without one. */
const PRODUCT_NAME = "Tocsin";

/** Fits Mozilla's bridge to FCM, which takes less than the 4096 bytes of the standard. */
const SHORT_FORM_BYTES = 2_600;

/**
 * Returns the `Topic` of a notification: 32 characters of base64url, the most that RFC 8030 section 5.4 allows and a length
 * that decodes, which Apple requires.
 */
export function topicOf(notificationId: string): string {
  return hash("sha256", notificationId, "buffer").subarray(0, 24).toString("base64url");
}

/**
 * Returns the JSON of a message in the declarative format (W3C Push API, "declarative push message"), at most
 * `MAX_PLAINTEXT_BYTES` long, or null where its link alone is too long; text is cut between graphemes and marked by
 * `data.truncated`.
 */
export function buildPayload({ message, baseUrl }: PayloadRequest): Buffer | null {
  return fitMessage(formOf(baseUrl, MAX_PLAINTEXT_BYTES), titled(message));
}

/** Returns the title and the link alone, for a push service that found the whole message too large; null as above. */
export function buildShortPayload({ message, baseUrl }: PayloadRequest): Buffer | null {
  const form = formOf(baseUrl, SHORT_FORM_BYTES);
  const short = { ...withoutDropped(titled(message)), body: "" };
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

const FIELD_LIST = Object.values(FIELDS);

function shape({ message, baseUrl }: PayloadRequest, isTruncated: boolean) {
  const { notificationId: id, createdAt } = message;
  const data: BrowserNotification["data"] = { id, ts: Math.floor(createdAt / 1000) };
  const navigate = pageOf(baseUrl, id);
  const notification: BrowserNotification = { navigate, tag: id, dir: "auto", silent: false, data };
  for (const { webpush } of FIELD_LIST) webpush(notification, message);
  if (isTruncated) data.truncated = 1;
  // The worker is not woken where the system can show the message by itself: no penalty, no time limit.
  return { web_push: 8030, notification, mutable: false };
}

/** A page of ours that leads on to the link: an installed app on iOS opens only pages of its own origin. */
function pageOf(baseUrl: string, id: string): string {
  const base = baseUrl.endsWith("/") ? baseUrl : `${baseUrl}/`;
  return new URL(`n/${encodeURIComponent(id)}`, base).href;
}

function titled(message: Message): Message {
  return message.title.trim() === "" ? { ...message, title: PRODUCT_NAME } : message;
}
