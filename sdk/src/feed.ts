import type { InteractionReference } from "./interaction.ts";
import type { NotificationContent } from "./content.ts";
import type { Delivery } from "./delivery.ts";
import type { Device } from "./device.ts";
import type { IncidentState } from "./incident.ts";
import type { PromptState } from "./prompt.ts";
import type { PageQuery, Timestamp } from "./page.ts";

/** A notification in the account's feed. */
export interface FeedItem extends NotificationContent, InteractionReference {
  readonly id: string;
  /** The team to which the notification was sent; null if it was sent to the account. */
  readonly teamId: string | null;
  /** The name of that team; null if there is no team, or no longer. */
  readonly teamName: string | null;
  /** The label of the key that sent the notification; null if the key has none or a person sent it. */
  readonly keyLabel: string | null;
  readonly createdAt: Timestamp;
  readonly readAt: Timestamp | null;
  /** The state of its incident; null if it belongs to none. */
  readonly incidentState: IncidentState | null;
  /** The state of its prompt; null if it belongs to none. */
  readonly promptState: PromptState | null;
}

/**
 * A query for a part of the feed: one channel, only unread or time-sensitive items, or items that contain some words.
 */
export interface FeedQuery extends PageQuery {
  readonly channel?: string;
  readonly unread?: boolean;
  readonly timeSensitive?: boolean;
  /** Words that must all occur in title or body, in any letter case; at most 8 words with 200 characters together. */
  readonly q?: string;
}

/**
 * The notifications to mark as read: those in `ids`, or the notification `upTo` and all older ones, only in `channel` if
 * it is given.
 */
export type ReadMark =
  | { readonly ids: readonly string[] }
  | { readonly upTo: string; readonly channel?: string };

/**
 * The notifications to mark as unread again: those in `ids`, or all that were marked as read together and so have the
 * same `readAt`.
 */
export type UnreadMark = { readonly ids: readonly string[] } | { readonly readAt: Timestamp };

/** A change to the feed that the account made in any client. */
export type FeedChange =
  | { readonly kind: "read"; readonly which: ReadMark; readonly readAt: Timestamp }
  | { readonly kind: "unread" | "deleted" | "restored"; readonly ids: readonly string[] };

/** A channel of the feed. */
export interface Channel {
  readonly name: string;
  readonly unread: number;
  readonly total: number;
  readonly lastAt: Timestamp;
}

/** All channels of the feed. */
export interface ChannelList {
  readonly items: readonly Channel[];
}

/** The `data` of each Server-Sent Event of the live stream, by the event's name. */
export interface LiveData {
  /** A notification arrived. */
  readonly notification: FeedItem;
  /** Notifications were read or deleted, or that was undone. */
  readonly read: FeedChange;
  /** The state of a delivery changed, for a notification that a key of the account sent. */
  readonly delivery: Delivery & { readonly notificationId: string };
  /** A device of the account changed. `device` is null once it is gone; `isNew` is true if it was just added. */
  readonly device: {
    readonly deviceId: string;
    readonly device: Device | null;
    readonly isNew: boolean;
  };
  /** An incident that the account was told of changed. */
  readonly incident: { readonly incidentId: string; readonly state: IncidentState };
  /** A prompt that the account received changed: somebody answered, or it ended. */
  readonly prompt: { readonly promptId: string; readonly state: PromptState };
}

/** The name of a live event. */
export type LiveEventKind = keyof LiveData;

/** One event of the live stream; `id` resumes the stream after it. */
export type LiveEvent = {
  readonly [Kind in LiveEventKind]: {
    readonly kind: Kind;
    readonly id: string | null;
    readonly data: LiveData[Kind];
  };
}[LiveEventKind];
