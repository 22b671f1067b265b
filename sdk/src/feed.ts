import type { NotificationContent } from "./content.ts";
import type { Delivery } from "./delivery.ts";
import type { Device } from "./device.ts";
import type { PageQuery, Timestamp } from "./page.ts";

/** A notification that reached me. */
export interface FeedItem extends NotificationContent {
  readonly id: string;
  /** The team it was sent to; null if it was sent to my account. */
  readonly teamId: string | null;
  /** The name of that team; null if there is none, or no longer. */
  readonly teamName: string | null;
  /** The label of the key that sent it; null if it has none, or a person sent it. */
  readonly keyLabel: string | null;
  readonly createdAt: Timestamp;
  readonly readAt: Timestamp | null;
}

/** Selects a part of my feed: one channel, only unread or time-sensitive items, or those that contain some words. */
export interface FeedQuery extends PageQuery {
  readonly channel?: string;
  readonly unread?: boolean;
  readonly timeSensitive?: boolean;
  /** Words that title or body contain, all of them, in any letter case; at most 8 and 200 characters. */
  readonly q?: string;
}

/** The notifications to mark as read: these, or the one with the id `upTo` and all older ones (of one channel). */
export type ReadMark =
  | { readonly ids: readonly string[] }
  | { readonly upTo: string; readonly channel?: string };

/**
 * The notifications to mark as unread again: these, or all that were marked as read at one moment, their common
 * `readAt`.
 */
export type UnreadMark = { readonly ids: readonly string[] } | { readonly readAt: Timestamp };

/** A change of my feed that I made in any client. */
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
  /** I read notifications, or deleted some, or undid that. */
  readonly read: FeedChange;
  /** The state of a delivery changed, of a notification that one of my keys sent. */
  readonly delivery: Delivery & { readonly notificationId: string };
  /** A device of mine was added or changed; `device` is null once it is gone, and `isNew` true if it was just added. */
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
