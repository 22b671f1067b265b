import type { NotificationContent } from "@tocsin/sdk";
import type { Message, ProviderName } from "./provider.ts";

type Members = { -readonly [Field in keyof NotificationContent]?: NotificationContent[Field] };

/** An APNs payload (Apple, "Generating a remote notification"): what stands beside `aps` is for the app. */
export interface ApnsPayload extends Members {
  readonly aps: {
    readonly alert: Pick<Members, "title" | "body">;
    sound?: string;
    "thread-id"?: string;
    "interruption-level"?: "active" | "time-sensitive";
    "relevance-score"?: number;
    /** Wakes the extension of the app, which downloads what an address leads to. */
    "mutable-content"?: 1;
  };
  readonly id: string;
  /** Seconds since the epoch. */
  readonly ts: number;
  truncated?: 1;
}

/** The data of an FCM message, text alone; FCM reserves `from`, `message_type`, `google.*` and `gcm.notification.*`. */
export type FcmData = { -readonly [Field in keyof NotificationContent]?: string } & {
  /** The notification's id: the app shows a second message of the same id in place of the first. */
  readonly id: string;
  /** When the notification was made, in seconds since the epoch. */
  readonly ts: string;
  /** Set where title or body were cut: the feed has the whole. */
  truncated?: "1";
};

/** The notification of a declarative push message (W3C Push API): what a browser shows, with data for the service worker. */
export interface BrowserNotification extends Members {
  readonly navigate: string;
  readonly tag: string;
  readonly dir: "auto";
  readonly silent: boolean;
  requireInteraction?: boolean;
  readonly data: Members & { readonly id: string; readonly ts: number; truncated?: 1 };
}

/** Puts a field of a message where its receiver reads it. Assigning is twice as fast here as merging parts. */
type Put<Receiver> = (to: Receiver, message: Message) => void;

interface FieldMapping extends Readonly<Record<ProviderName, Put<never>>> {
  /**
   * `cut` shortens the text, `dropped` leaves the field out: the lowest row goes first, after all but the last of the
   * body, and the title is cut after that.
   */
  readonly whenTooLarge: "kept" | "cut" | "dropped";
  readonly apns: Put<ApnsPayload>;
  readonly fcm: Put<FcmData>;
  readonly webpush: Put<BrowserNotification>;
}

const NOWHERE = () => {};

/** Puts each field of a notification into the payload of each push service, and says how it fares in a push that is too large. */
export const FIELDS = {
  title: {
    whenTooLarge: "cut",
    apns: ({ aps }, { title }) => {
      if (title !== "") aps.alert.title = title;
    },
    fcm: (to, { title }) => (to.title = title),
    webpush: (to, { title }) => (to.title = title),
  },
  body: {
    whenTooLarge: "cut",
    apns: ({ aps }, { body }) => {
      if (body !== "") aps.alert.body = body;
    },
    fcm: (to, { body }) => (to.body = body),
    webpush: (to, { body }) => (to.body = body),
  },
  sound: {
    whenTooLarge: "kept",
    apns: ({ aps }, { sound }) => (aps.sound = soundFile(sound)),
    fcm: (to, { sound }) => (to.sound = sound ?? "default"),
    webpush: ({ data }, { sound }) => (data.sound = sound),
  },
  channel: {
    whenTooLarge: "kept",
    apns: (to, { channel }) => {
      to.aps["thread-id"] = channel;
      to.channel = channel;
    },
    fcm: (to, { channel }) => (to.channel = channel),
    webpush: ({ data }, { channel }) => (data.channel = channel),
  },
  link: {
    whenTooLarge: "kept",
    apns: (to, { link }) => {
      if (link !== null) to.link = link;
    },
    fcm: (to, { link }) => {
      if (link !== null) to.link = link;
    },
    webpush: ({ data }, { link }) => (data.link = link),
  },
  image: {
    whenTooLarge: "dropped",
    apns: (to, { image }) => {
      if (image === null) return;
      to.aps["mutable-content"] = 1;
      to.image = image;
    },
    fcm: (to, { image }) => {
      if (image !== null) to.image = image;
    },
    webpush: (to, { image }) => {
      if (image !== null) to.image = image;
    },
  },
  icon: {
    whenTooLarge: "dropped",
    apns: (to, { icon }) => {
      if (icon === null) return;
      to.aps["mutable-content"] = 1;
      to.icon = icon;
    },
    // Not `android.notification.icon`, which names a drawable that the app brings along.
    fcm: (to, { icon }) => {
      if (icon !== null) to.icon = icon;
    },
    webpush: (to, { icon }) => {
      if (icon !== null) to.icon = icon;
    },
  },
  timeSensitive: {
    whenTooLarge: "kept",
    apns: ({ aps }, { timeSensitive }) => {
      aps["interruption-level"] = timeSensitive ? "time-sensitive" : "active";
      if (timeSensitive) aps["relevance-score"] = 1;
    },
    fcm: (to, { timeSensitive }) => (to.timeSensitive = timeSensitive ? "1" : "0"),
    webpush: (to, { timeSensitive }) => {
      if (timeSensitive) to.requireInteraction = true;
    },
  },
  // No service renders Markdown: the body of a message is plain text.
  markdown: { whenTooLarge: "kept", apns: NOWHERE, fcm: NOWHERE, webpush: NOWHERE },
} as const satisfies Readonly<Record<keyof NotificationContent, FieldMapping>>;

/** The name of a file that the app brings along. */
function soundFile(sound: NotificationContent["sound"]): string {
  return sound === null || sound === "default" ? "default" : `${sound}.caf`;
}
