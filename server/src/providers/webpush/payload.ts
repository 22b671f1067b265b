import { hash } from "node:crypto";
import type { Message } from "../provider.ts";
import { PLAINTEXT_MAX_BYTES } from "./encrypt.ts";
import { cutToJsonBytes } from "../cut.ts";
import { addInteractionKeys } from "../interaction.ts";
import { FIELD_MAPPINGS, type BrowserNotification } from "../fields.ts";
import { getCollapseId, isSilent } from "../presentation.ts";
import { cutTitle, fitMessage, dropOptionalFields, type PayloadFormat } from "../fit.ts";

/** A message, and the server whose page opens its link. */
export interface PayloadRequest {
  readonly message: Message;
  /** The public URL of this server; a path in it is kept. */
  readonly baseUrl: string;
}

/** Replaces an empty title: declarative Web Push shows nothing without one. */
const PRODUCT_NAME = "Tocsin";

/** The limit of Mozilla's bridge to FCM, which accepts less than the 4096 bytes of the standard. */
const SHORT_FORM_MAX_BYTES = 2_600;

/** The size of a topic before its encoding, which turns 3 bytes into 4 characters. */
const TOPIC_BYTES = 24;

/**
 * Returns the `Topic` for a collapse id: 32 characters of base64url. RFC 8030 section 5.4 allows no more, and Apple
 * requires a length that can be decoded.
 */
export function toTopic(collapseId: string): string {
  return hash("sha256", collapseId, "buffer").subarray(0, TOPIC_BYTES).toString("base64url");
}

/**
 * Returns the JSON of a message in the declarative format (W3C Push API, "declarative push message"), at most
 * `PLAINTEXT_MAX_BYTES` long, or null if the fields that are kept, such as the link, leave no room. `data.truncated`
 * marks text that was cut.
 */
export function buildPayload({ message, baseUrl }: PayloadRequest): Buffer | null {
  return fitMessage(createFormat(baseUrl, PLAINTEXT_MAX_BYTES), ensureTitle(message));
}

/**
 * Returns a payload without body, image and icon, for a push service that rejected the whole message as too large; null
 * if the link is too long. If the buttons leave no room for a title, the payload has no buttons, and only the
 * notification's page shows them.
 */
export function buildShortPayload({ message, baseUrl }: PayloadRequest): Buffer | null {
  const format = createFormat(baseUrl, SHORT_FORM_MAX_BYTES);
  const shortened = { ...dropOptionalFields(ensureTitle(message)), body: "" };
  const payload = format.build(shortened, message.body !== "");
  if (payload.length <= format.maxBytes) return payload;
  return cutTitle(format, shortened) ?? cutTitle(format, dropButtons(shortened));
}

function dropButtons(message: Message): Message {
  const { interaction } = message;
  return interaction === null
    ? message
    : { ...message, interaction: { ...interaction, actions: [], allowsText: false } };
}

function createFormat(baseUrl: string, maxBytes: number): PayloadFormat<Buffer> {
  return {
    maxBytes,
    build: (message, isTruncated) =>
      Buffer.from(JSON.stringify(toDeclarativeMessage({ message, baseUrl }, isTruncated))),
    measureBytes: ({ length }) => length,
    cutText: cutToJsonBytes,
  };
}

const FIELD_WRITERS = Object.values(FIELD_MAPPINGS).map(({ webpush }) => webpush);

function toDeclarativeMessage({ message, baseUrl }: PayloadRequest, isTruncated: boolean) {
  const { notificationId: id, createdAt, interaction } = message;
  const data: BrowserNotification["data"] = { id, ts: Math.floor(createdAt / 1000) };
  const navigate = toPageUrl(baseUrl, id);
  const tag = getCollapseId(message);
  const silent = isSilent(message);
  const notification: BrowserNotification = { navigate, tag, dir: "auto", silent, data };
  for (const writeField of FIELD_WRITERS) writeField(notification, message);
  if (interaction !== null) addInteractionKeys(data, interaction);
  if (isTruncated) data.truncated = 1;
  // 8030 marks a declarative push message. The system may show an immutable one itself, without the service worker and
  // its penalties and time limits.
  return { web_push: 8030, notification, mutable: false };
}

/**
 * Returns the URL of our page that redirects to the link: an installed app on iOS opens only pages of its own origin.
 */
function toPageUrl(baseUrl: string, id: string): string {
  const base = baseUrl.endsWith("/") ? baseUrl : `${baseUrl}/`;
  return new URL(`n/${encodeURIComponent(id)}`, base).href;
}

/** Returns a message whose title is not empty. */
function ensureTitle(message: Message): Message {
  return message.title.trim() === "" ? { ...message, title: PRODUCT_NAME } : message;
}
