import type { NotificationContent } from "@tocsin/sdk";
import type { Message, ProviderName } from "./provider.ts";

type OptionalContent = {
  -readonly [Field in keyof NotificationContent]?: NotificationContent[Field];
};

/** An APNs payload (Apple, "Generating a remote notification"). The keys next to `aps` are for the app. */
export interface ApnsPayload extends OptionalContent {
  readonly aps: {
    readonly alert: Pick<OptionalContent, "title" | "body">;
    sound?: string;
    "thread-id"?: string;
    "interruption-level"?: "active" | "time-sensitive";
    "relevance-score"?: number;
    /** Starts the app's notification service extension, which downloads the image and the icon. */
    "mutable-content"?: 1;
  };
  readonly id: string;
  /** Seconds since the epoch. */
  readonly ts: number;
  truncated?: 1;
}

/**
 * The data of an FCM message: only strings. FCM reserves `from`, `message_type`, `google.*` and `gcm.notification.*`.
 */
export type FcmData = { -readonly [Field in keyof NotificationContent]?: string } & {
  /** The notification's id. In the app, a second message with the same id replaces the first. */
  readonly id: string;
  /** When the notification was created, in seconds since the epoch. */
  readonly ts: string;
  /** Set if the title or body was cut. The feed has the full text. */
  truncated?: "1";
};

/**
 * The notification in a declarative push message (W3C Push API): fields that the browser shows, and `data` for the
 * service worker.
 */
export interface BrowserNotification extends OptionalContent {
  readonly navigate: string;
  readonly tag: string;
  readonly dir: "auto";
  readonly silent: boolean;
  requireInteraction?: boolean;
  readonly data: OptionalContent & { readonly id: string; readonly ts: number; truncated?: 1 };
}

/** Writes a field of a message into a payload. Assigning is twice as fast here as merging objects. */
type WriteField<Payload> = (payload: Payload, message: Message) => void;

interface FieldMapping extends Readonly<Record<ProviderName, WriteField<never>>> {
  /**
   * `cut` shortens the text, `dropped` omits the field. The body is cut first, then fields are dropped from the last
   * row up, then the title is cut.
   */
  readonly whenTooLarge: "kept" | "cut" | "dropped";
  readonly apns: WriteField<ApnsPayload>;
  readonly fcm: WriteField<FcmData>;
  readonly webpush: WriteField<BrowserNotification>;
}

const omitField = () => {};

/**
 * Maps each field of a notification to the payload of each push service, and defines what happens to it if a push is
 * too large.
 */
export const FIELD_MAPPINGS = {
  title: {
    whenTooLarge: "cut",
    apns: ({ aps }, { title }) => {
      if (title !== "") aps.alert.title = title;
    },
    fcm: (payload, { title }) => (payload.title = title),
    webpush: (payload, { title }) => (payload.title = title),
  },
  body: {
    whenTooLarge: "cut",
    apns: ({ aps }, { body }) => {
      if (body !== "") aps.alert.body = body;
    },
    fcm: (payload, { body }) => (payload.body = body),
    webpush: (payload, { body }) => (payload.body = body),
  },
  sound: {
    whenTooLarge: "kept",
    apns: ({ aps }, { sound }) => (aps.sound = toSoundFile(sound)),
    fcm: (payload, { sound }) => (payload.sound = sound ?? "default"),
    webpush: ({ data }, { sound }) => (data.sound = sound),
  },
  channel: {
    whenTooLarge: "kept",
    apns: (payload, { channel }) => {
      payload.aps["thread-id"] = channel;
      payload.channel = channel;
    },
    fcm: (payload, { channel }) => (payload.channel = channel),
    webpush: ({ data }, { channel }) => (data.channel = channel),
  },
  link: {
    whenTooLarge: "kept",
    apns: (payload, { link }) => {
      if (link !== null) payload.link = link;
    },
    fcm: (payload, { link }) => {
      if (link !== null) payload.link = link;
    },
    webpush: ({ data }, { link }) => (data.link = link),
  },
  image: {
    whenTooLarge: "dropped",
    apns: (payload, { image }) => {
      if (image === null) return;
      payload.aps["mutable-content"] = 1;
      payload.image = image;
    },
    fcm: (payload, { image }) => {
      if (image !== null) payload.image = image;
    },
    webpush: (payload, { image }) => {
      if (image !== null) payload.image = image;
    },
  },
  icon: {
    whenTooLarge: "dropped",
    apns: (payload, { icon }) => {
      if (icon === null) return;
      payload.aps["mutable-content"] = 1;
      payload.icon = icon;
    },
    // Not `android.notification.icon`, which names a drawable bundled with the app.
    fcm: (payload, { icon }) => {
      if (icon !== null) payload.icon = icon;
    },
    webpush: (payload, { icon }) => {
      if (icon !== null) payload.icon = icon;
    },
  },
  timeSensitive: {
    whenTooLarge: "kept",
    apns: ({ aps }, { timeSensitive }) => {
      aps["interruption-level"] = timeSensitive ? "time-sensitive" : "active";
      if (timeSensitive) aps["relevance-score"] = 1;
    },
    fcm: (payload, { timeSensitive }) => (payload.timeSensitive = timeSensitive ? "1" : "0"),
    webpush: (payload, { timeSensitive }) => {
      if (timeSensitive) payload.requireInteraction = true;
    },
  },
  // No push service renders Markdown: the body of a message is plain text.
  markdown: { whenTooLarge: "kept", apns: omitField, fcm: omitField, webpush: omitField },
} as const satisfies Readonly<Record<keyof NotificationContent, FieldMapping>>;

/** Returns the name of a sound file bundled with the app. */
function toSoundFile(sound: NotificationContent["sound"]): string {
  return sound === null || sound === "default" ? "default" : `${sound}.caf`;
}
