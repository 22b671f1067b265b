import { cutToUtf8Bytes } from "../cut.ts";
import { fitMessage, type Form } from "../fit.ts";
import { oncePerMessage } from "../once-per-message.ts";
import type { FcmAddress, Message } from "../provider.ts";
import { ttlSeconds } from "../ttl.ts";

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
const MAX_DATA_BYTES = 4_096;

/**
 * Returns the request for one message to one device, with at most `MAX_DATA_BYTES` of data, or null where the link alone
 * is too long. To fit, it cuts the body, then drops the image, then cuts the title, and never the link.
 */
export function buildMessage({ message, address, now }: MessageInput): FcmRequest | null {
  const data = fittingData(message);
  if (data === null) return null;
  const ttl = `${ttlSeconds(message.expiresAt - now)}s`;
  return { message: { ...targetOf(address), android: { priority: "HIGH", ttl, data } } };
}

function targetOf({ kind, token }: FcmAddress): Target {
  return kind === "fid" ? { fid: token } : { token };
}

const FORM: Form<FcmData> = {
  limitBytes: MAX_DATA_BYTES,
  shape: (message, isTruncated) => ({
    ...dataOf(message),
    ...(isTruncated ? { truncated: "1" as const } : {}),
  }),
  sizeOf: (data) => Buffer.byteLength(Object.entries(data).flat().join("")),
  cut: cutToUtf8Bytes,
};

const fittingData = oncePerMessage((message) => fitMessage(FORM, message));

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
