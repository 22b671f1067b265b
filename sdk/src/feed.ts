import type { Delivery } from "./delivery.ts";
import type { Device } from "./device.ts";
import type { Sound } from "./notification.ts";
import type { PageQuery, Timestamp } from "./page.ts";

/** A notification that reached me. */
export interface FeedItem {
  readonly id: string;
  readonly title: string;
  readonly body: string;
  readonly channel: string;
  readonly sound: Sound | null;
  readonly link: string | null;
  readonly image: string | null;
  readonly timeSensitive: boolean;
  /** Whether `body` is Markdown (CommonMark without HTML). */
  readonly markdown: boolean;
  /** The team it was sent to; null where it was sent to my account. */
  readonly teamId: string | null;
  /** What that team is called; null where there is none, or none any more. */
  readonly teamName: string | null;
  /** What the key is called that sent it; null where it has no label, or a person sent it. */
  readonly keyLabel: string | null;
  readonly createdAt: Timestamp;
  readonly readAt: Timestamp | null;
}

/** Which part of my feed: one channel, only what is unread or time-sensitive, or what contains some words. */
export interface FeedQuery extends PageQuery {
  readonly channel?: string;
  readonly unread?: boolean;
  readonly timeSensitive?: boolean;
  /** Words that title or body contain, each of them, in any letter case; at most 8 and 200 characters. */
  readonly q?: string;
}

/** What to mark as read: these, or the notification with the id `upTo` and all older ones (of one channel). */
export type ReadMark =
  | { readonly ids: readonly string[] }
  | { readonly upTo: string; readonly channel?: string };

/** What to mark as unread again: these, or all that were marked as read at one moment, the `readAt` of each of them. */
export type UnreadMark = { readonly ids: readonly string[] } | { readonly readAt: Timestamp };

/** What I did with notifications of my feed, in whatever client. */
export type FeedChange =
  | { readonly kind: "read"; readonly which: ReadMark; readonly readAt: Timestamp }
  | { readonly kind: "unread" | "deleted" | "restored"; readonly ids: readonly string[] };

/** A channel of my feed. */
export interface Channel {
  readonly name: string;
  readonly unread: number;
  readonly total: number;
  readonly lastAt: Timestamp;
}

/** All channels of my feed. */
export interface ChannelList {
  readonly items: readonly Channel[];
}

/** The `data` of each Server-Sent Event of the live stream, by the event's name. */
export interface LiveData {
  /** A notification reached me. */
  readonly notification: FeedItem;
  /** I read notifications, or deleted some, or took that back. */
  readonly read: FeedChange;
  /** A delivery of a notification that one of my keys sent came into another state. */
  readonly delivery: Delivery & { readonly notificationId: string };
  /** A device of mine was added or changed; `device` is null once it is gone, and `isNew` true where it was added just now. */
  readonly device: {
    readonly deviceId: string;
    readonly device: Device | null;
    readonly isNew: boolean;
  };
}

/** The name of a live event. */
export type LiveEventKind = keyof LiveData;

/** One event of the live stream; its id resumes the stream after it. */
export type LiveEvent = {
  readonly [Kind in LiveEventKind]: {
    readonly kind: Kind;
    readonly id: string | null;
    readonly data: LiveData[Kind];
  };
}[LiveEventKind];
