import { hash } from "node:crypto";
import type { Message } from "../provider.ts";
import { PLAINTEXT_MAX_BYTES } from "./encrypt.ts";
import { cutToBytes } from "../cut.ts";
import { FIELDS, type BrowserNotification } from "../fields.ts";
import { cutTitle, fitMessage, withoutDroppable, type Form } from "../fit.ts";

/** A message, and the server whose page opens its link. */
export interface PayloadRequest {
  readonly message: Message;
  /** The public URL of this server; a path in it is kept. */
  readonly baseUrl: string;
}

/** Replaces an empty title: declarative Web Push shows nothing without one. */
const PRODUCT_NAME = "Tocsin";

/** Fits Mozilla's bridge to FCM, which accepts less than the 4096 bytes of the standard. */
const SHORT_FORM_MAX_BYTES = 2_600;

/**
 * Returns the `Topic` of a notification: 32 characters of base64url. RFC 8030 section 5.4 allows no more, and Apple requires
 * a length that can be decoded.
 */
export function topicOf(notificationId: string): string {
  return hash("sha256", notificationId, "buffer").subarray(0, 24).toString("base64url");
}

/**
 * Returns the JSON of a message in the declarative format (W3C Push API, "declarative push message"), at most
 * `PLAINTEXT_MAX_BYTES` long, or null if the link itself is too long. `data.truncated` marks text that was cut.
 */
export function buildPayload({ message, baseUrl }: PayloadRequest): Buffer | null {
  return fitMessage(createForm(baseUrl, PLAINTEXT_MAX_BYTES), withTitle(message));
}

/**
 * Returns a payload without body, image and icon, for a push service that rejected the whole message as too large; null if
 * the link is too long.
 */
export function buildShortPayload({ message, baseUrl }: PayloadRequest): Buffer | null {
  const form = createForm(baseUrl, SHORT_FORM_MAX_BYTES);
  const shortened = { ...withoutDroppable(withTitle(message)), body: "" };
  const payload = form.shape(shortened, message.body !== "");
  return payload.length <= form.limitBytes ? payload : cutTitle(form, shortened);
}

function createForm(baseUrl: string, limitBytes: number): Form<Buffer> {
  return {
    limitBytes,
    shape: (message, isTruncated) =>
      Buffer.from(JSON.stringify(toDeclarative({ message, baseUrl }, isTruncated))),
    sizeOf: ({ length }) => length,
    cut: cutToBytes,
  };
}

const FIELD_MAPPINGS = Object.values(FIELDS);

function toDeclarative({ message, baseUrl }: PayloadRequest, isTruncated: boolean) {
  const { notificationId: id, createdAt } = message;
  const data: BrowserNotification["data"] = { id, ts: Math.floor(createdAt / 1000) };
  const navigate = pageUrl(baseUrl, id);
  const notification: BrowserNotification = { navigate, tag: id, dir: "auto", silent: false, data };
  for (const { webpush } of FIELD_MAPPINGS) webpush(notification, message);
  if (isTruncated) data.truncated = 1;
  // The service worker does not start if the system can show the message itself, which avoids penalties and time limits.
  return { web_push: 8030, notification, mutable: false };
}

/** Our page redirects to the link: an installed app on iOS opens only pages of its own origin. */
function pageUrl(baseUrl: string, id: string): string {
  const base = baseUrl.endsWith("/") ? baseUrl : `${baseUrl}/`;
  return new URL(`n/${encodeURIComponent(id)}`, base).href;
}

function withTitle(message: Message): Message {
  return message.title.trim() === "" ? { ...message, title: PRODUCT_NAME } : message;
}
