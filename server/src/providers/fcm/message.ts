import { addFcmInteraction } from "../interaction.ts";
import { cutToUtf8Bytes } from "../cut.ts";
import { FIELD_MAPPINGS, type FcmData } from "../fields.ts";
import { fitMessage, cachePerMessage, type PayloadFormat } from "../fit.ts";
import type { FcmAddress, Message } from "../provider.ts";
import { toTtlSeconds } from "../ttl.ts";

/** The body of a request to `messages:send` (FCM HTTP v1). */
export interface FcmRequest {
  readonly message: FcmMessage;
}

/** A data message, which the app shows: only the app can create the channel that a sound needs on Android. */
export type FcmMessage = FcmTarget & {
  readonly android: {
    /**
     * `HIGH` wakes a dozing device. In return, Android expects the app to show a notification. `NORMAL` may wait until
     * the device is awake.
     */
    readonly priority: "HIGH" | "NORMAL";
    /** Seconds, for example `60s`; from 1 to 2,419,200. */
    readonly ttl: string;
    readonly data: FcmData;
  };
};

type FcmTarget = { readonly token: string } | { readonly fid: string };

/** A message, its device and the current time. */
export interface MessageInput {
  readonly message: Message;
  readonly address: FcmAddress;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The maximum size of `data`: FCM counts its keys and values in UTF-8. */
const DATA_MAX_BYTES = 4_096;

/**
 * Returns the request for one message to one device, with at most `DATA_MAX_BYTES` of data; null if the fields that are
 * kept, such as the link, leave no room.
 */
export function buildRequest({ message, address, now }: MessageInput): FcmRequest | null {
  const data = fitData(message);
  if (data === null) return null;
  const ttl = `${toTtlSeconds(message.expiresAt - now)}s`;
  const priority = message.priority === "low" ? "NORMAL" : "HIGH";
  return { message: { ...toTarget(address), android: { priority, ttl, data } } };
}

function toTarget({ kind, token }: FcmAddress): FcmTarget {
  return kind === "fid" ? { fid: token } : { token };
}

const DATA_FORMAT: PayloadFormat<FcmData> = {
  maxBytes: DATA_MAX_BYTES,
  build: buildData,
  measureBytes: (data) => Buffer.byteLength(Object.entries(data).flat().join("")),
  cutText: cutToUtf8Bytes,
};

const fitData = cachePerMessage((message) => fitMessage(DATA_FORMAT, message));

const FIELD_WRITERS = Object.values(FIELD_MAPPINGS).map(({ fcm }) => fcm);

function buildData(message: Message, isTruncated: boolean): FcmData {
  const { notificationId: id, createdAt, interaction } = message;
  const data: FcmData = { id, ts: String(Math.floor(createdAt / 1000)) };
  for (const writeField of FIELD_WRITERS) writeField(data, message);
  if (interaction !== null) addFcmInteraction(data, message, interaction);
  if (isTruncated) data.truncated = "1";
  return data;
}
