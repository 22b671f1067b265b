import { DEFAULT_CHANNEL } from "@tocsin/sdk";
import type { MailboxMessage } from "#apps/app.ts";
import { decodeExtras, type Extras } from "../../extras.ts";
import { toApplicationId } from "../ids.ts";

/**
 * A message as Gotify's apps read it. It has every member, whatever the notification: the Android app ends if one of them is
 * null.
 */
export interface GotifyAppMessage {
  readonly id: number;
  readonly appid: number;
  readonly message: string;
  readonly title: string;
  readonly priority: number;
  /** RFC 3339. */
  readonly date: string;
  readonly extras: object;
}

/** Returns a message of an app's mailbox as Gotify's apps read it. Parts that came by Gotify's API are unchanged. */
export function toGotifyMessage(message: MailboxMessage): GotifyAppMessage {
  const { number, channel, title, body, createdAt } = message;
  const extras = decodeExtras(message.extras);
  return {
    id: number,
    appid: toApplicationId(channel),
    message: body,
    // Apps show no title for an empty one.
    title: title === "" ? toApplicationName(channel) : title,
    priority: findPriority(message, extras),
    date: new Date(createdAt).toISOString(),
    extras: extras.gotify?.extras ?? createExtras(message),
  };
}

/** Returns the name of an application, which is a channel here. */
export function toApplicationName(channel: string): string {
  return channel === DEFAULT_CHANNEL ? "Tocsin" : channel;
}

/** Gotify's priorities for those of ntfy, from 1 to 5. Gotify's app is silent below 1, without sound below 4, and loud from 8 on. */
const BY_NTFY_LEVEL = [0, 2, 5, 8, 10] as const;
/** Gotify's priorities for those of a notification. */
const BY_OWN_PRIORITY = { low: 2, normal: 5, high: 8, emergency: 10 } as const;
/** The priority of a message that may break through silence. */
const LOUD = 8;

function findPriority({ priority, timeSensitive }: MailboxMessage, extras: Extras): number {
  if (extras.gotify?.priority !== undefined) return extras.gotify.priority;
  const level = extras.priority ?? null;
  const own = (level === null ? null : BY_NTFY_LEVEL[level - 1]) ?? BY_OWN_PRIORITY[priority];
  return timeSensitive ? Math.max(LOUD, own) : own;
}

function createExtras({ markdown, link, image }: MailboxMessage): object {
  const notification = {
    ...(link === null ? {} : { click: { url: link } }),
    ...(image === null ? {} : { bigImageUrl: image }),
  };
  return {
    ...(markdown ? { "client::display": { contentType: "text/markdown" } } : {}),
    ...(link === null && image === null ? {} : { "client::notification": notification }),
  };
}
