import { cutToUtf8Bytes } from "../cut.ts";
import { FIELDS, type FcmData } from "../fields.ts";
import { fitMessage, type Form } from "../fit.ts";
import { oncePerMessage } from "../fit.ts";
import type { FcmAddress, Message } from "../provider.ts";
import { ttlSeconds } from "../ttl.ts";

/** The body of a request to `messages:send` (FCM HTTP v1). */
export interface FcmRequest {
  readonly message: FcmMessage;
}

/** Data alone: the app shows it, because only the app can make the channel that a sound needs on Android. */
export type FcmMessage = FcmTarget & {
  readonly android: {
    /** Wakes a dozing device, for which Android wants to see a notification shown. */
    readonly priority: "HIGH";
    /** Seconds as `60s`, 1 to 2,419,200. */
    readonly ttl: string;
    readonly data: FcmData;
  };
};

type FcmTarget = { readonly token: string } | { readonly fid: string };

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
 * is too long.
 */
export function buildMessage({ message, address, now }: MessageInput): FcmRequest | null {
  const data = fittingData(message);
  if (data === null) return null;
  const ttl = `${ttlSeconds(message.expiresAt - now)}s`;
  return { message: { ...targetOf(address), android: { priority: "HIGH", ttl, data } } };
}

function targetOf({ kind, token }: FcmAddress): FcmTarget {
  return kind === "fid" ? { fid: token } : { token };
}

const FORM: Form<FcmData> = {
  limitBytes: MAX_DATA_BYTES,
  shape: dataOf,
  sizeOf: (data) => Buffer.byteLength(Object.entries(data).flat().join("")),
  cut: cutToUtf8Bytes,
};

const fittingData = oncePerMessage((message) => fitMessage(FORM, message));

const FIELD_LIST = Object.values(FIELDS);

function dataOf(message: Message, isTruncated: boolean): FcmData {
  const { notificationId: id, createdAt } = message;
  const data: FcmData = { id, ts: String(Math.floor(createdAt / 1000)) };
  for (const { fcm } of FIELD_LIST) fcm(data, message);
  if (isTruncated) data.truncated = "1";
  return data;
}
