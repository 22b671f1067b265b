import { cutToUtf8Bytes } from "../cut.ts";
import type { FcmAddress, Message } from "../provider.ts";

/** The body of a request to `messages:send` (FCM HTTP v1). */
export interface FcmRequest {
  readonly message: FcmMessage;
}

/** Data alone: the app shows it, because only the app can make the channel that a sound needs on Android. */
export type FcmMessage = Target & {
  readonly android: {
    /** Wakes a dozing device, for which Android wants to see a notification shown. */
    readonly priority: "HIGH";
    /** Seconds as `60s`, 1 to 2,419,200. */
    readonly ttl: string;
    readonly data: FcmData;
  };
};

type Target = { readonly token: string } | { readonly fid: string };

/** What the app reads. FCM knows strings alone, and reserves `from`, `message_type`, `google.*` and `gcm.notification.*`. */
export type FcmData = {
  /** The notification's id: the app shows a second message of the same id in place of the first. */
  readonly id: string;
  readonly title: string;
  readonly body: string;
  readonly channel: string;
  /** `default` where the sender chose none. */
  readonly sound: string;
  readonly timeSensitive: "0" | "1";
  /** When the notification was made, in seconds since the epoch. */
  readonly ts: string;
  readonly link?: string;
  readonly image?: string;
  /** Set where title or body were cut: the feed has the whole. */
  readonly truncated?: "1";
};

export interface MessageInput {
  readonly message: Message;
  readonly address: FcmAddress;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** FCM counts keys and values of `data` in UTF-8. */
export const MAX_DATA_BYTES = 4_096;
const MAX_TTL_S = 28 * 24 * 60 * 60;

/**
 * Returns the request for one message to one device, with at most `MAX_DATA_BYTES` of data, or null where the link alone
 * is too long. To fit, it cuts the body, then drops the image, then cuts the title, and never the link.
 */
export function buildMessage({ message, address, now }: MessageInput): FcmRequest | null {
  const data = fit(message);
  if (data === null) return null;
  const ttl = `${ttlSeconds(message.expiresAt - now)}s`;
  return { message: { ...targetOf(address), android: { priority: "HIGH", ttl, data } } };
}

function targetOf({ kind, token }: FcmAddress): Target {
  return kind === "fid" ? { fid: token } : { token };
}

function fit(message: Message): FcmData | null {
  const plain = { ...message, image: null };
  return cutBody(message) ?? cutBody(plain) ?? cutTitle(plain);
}

/** Keeps the whole title; null where not even one grapheme of the body has room beside it. */
function cutBody(message: Message): FcmData | null {
  const whole = dataOf(message);
  if (sizeOf(whole) <= MAX_DATA_BYTES) return whole;
  const bare = { ...dataOf({ ...message, body: "" }), truncated: "1" } as const;
  const body = cutToUtf8Bytes(message.body, MAX_DATA_BYTES - sizeOf(bare));
  return body === "" ? null : { ...bare, body };
}

/** Gives up the body; null where not even one grapheme of the title has room. */
function cutTitle(message: Message): FcmData | null {
  const bare = { ...dataOf({ ...message, title: "", body: "" }), truncated: "1" } as const;
  const title = cutToUtf8Bytes(message.title, MAX_DATA_BYTES - sizeOf(bare));
  return title === "" ? null : { ...bare, title };
}

function dataOf(message: Message): FcmData {
  const { notificationId: id, title, body, channel, sound, link, image } = message;
  return {
    id,
    title,
    body,
    channel,
    sound: sound ?? "default",
    timeSensitive: message.timeSensitive ? "1" : "0",
    ts: String(Math.floor(message.createdAt / 1000)),
    ...(link === null ? {} : { link }),
    ...(image === null ? {} : { image }),
  };
}

function sizeOf(data: FcmData): number {
  return Buffer.byteLength(Object.entries(data).flat().join(""));
}

/** 0 would mean "now or never", and FCM keeps nothing longer than 28 days. */
function ttlSeconds(remainingMs: number): number {
  return Math.min(Math.max(1, Math.floor(remainingMs / 1000)), MAX_TTL_S);
}
