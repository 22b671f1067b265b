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

/** A data message, which the app shows: only the app can create the channel that a sound needs on Android. */
export type FcmMessage = FcmTarget & {
  readonly android: {
    /** Wakes a dozing device. In return, Android expects the app to show a notification. */
    readonly priority: "HIGH";
    /** Seconds, for example `60s`; from 1 to 2,419,200. */
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
const DATA_MAX_BYTES = 4_096;

/**
 * Returns the request for one message to one device, with at most `DATA_MAX_BYTES` of data; null if the link does not
 * fit.
 */
export function buildMessage({ message, address, now }: MessageInput): FcmRequest | null {
  const data = fitData(message);
  if (data === null) return null;
  const ttl = `${ttlSeconds(message.expiresAt - now)}s`;
  return { message: { ...toTarget(address), android: { priority: "HIGH", ttl, data } } };
}

function toTarget({ kind, token }: FcmAddress): FcmTarget {
  return kind === "fid" ? { fid: token } : { token };
}

const FORM: Form<FcmData> = {
  limitBytes: DATA_MAX_BYTES,
  shape: buildData,
  sizeOf: (data) => Buffer.byteLength(Object.entries(data).flat().join("")),
  cut: cutToUtf8Bytes,
};

const fitData = oncePerMessage((message) => fitMessage(FORM, message));

const FIELD_LIST = Object.values(FIELDS);

function buildData(message: Message, isTruncated: boolean): FcmData {
  const { notificationId: id, createdAt } = message;
  const data: FcmData = { id, ts: String(Math.floor(createdAt / 1000)) };
  for (const { fcm } of FIELD_LIST) fcm(data, message);
  if (isTruncated) data.truncated = "1";
  return data;
}
