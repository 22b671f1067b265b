import { DEFAULT_PRIORITY, type NotificationContent, type Priority } from "@tocsin/sdk";
import type { InteractionKeys } from "./interaction.ts";
import { isQuiet, isSilent, soundsAgain } from "./presentation.ts";
import type { Message, PushProviderName } from "./provider.ts";

type OptionalContent = {
  -readonly [Field in keyof NotificationContent]?: NotificationContent[Field];
};

/** An APNs payload (Apple, "Generating a remote notification"). The keys next to `aps` are for the app. */
export interface ApnsPayload extends OptionalContent, InteractionKeys {
  readonly aps: {
    readonly alert: Pick<OptionalContent, "title" | "body">;
    sound?: string;
    "thread-id"?: string;
    "interruption-level"?: InterruptionLevel;
    "relevance-score"?: number;
    /** Names the buttons that the app registered. */
    category?: string;
    /** Starts the app's notification service extension, which downloads the image and the icon, and adds buttons. */
    "mutable-content"?: 1;
  };
  readonly id: string;
  /** Seconds since the epoch. */
  readonly ts: number;
  /** Set if the notification sounds even if it replaces an earlier one. */
  renotify?: 1;
  truncated?: 1;
}

/** How an Apple device presents an alert (Apple, "Generating a remote notification", `interruption-level`). */
type InterruptionLevel = "passive" | "active" | "time-sensitive";

/**
 * The data of an FCM message: only strings. FCM reserves `from`, `message_type`, `google.*` and `gcm.notification.*`.
 */
export type FcmData = { -readonly [Field in keyof NotificationContent]?: string } & {
  /** The notification's id. In the app, a second message with the same id, or the same tag, replaces the first. */
  readonly id: string;
  /** When the notification was created, in seconds since the epoch. */
  readonly ts: string;
  /** Set if the notification sounds even if it replaces an earlier one. */
  renotify?: "1";
  /** The id of the incident or the prompt, which replaces earlier messages about it. Absent for a plain message. */
  tag?: string;
  /** Set if the title or body was cut. The feed has the full text. */
  truncated?: "1";
} & { -readonly [Key in keyof InteractionKeys]?: string };

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
  readonly data: OptionalContent &
    InteractionKeys & {
      readonly id: string;
      readonly ts: number;
      /** Set if the notification sounds even if it replaces one with the same tag. */
      renotify?: 1;
      truncated?: 1;
    };
}

/** Writes a field of a message into a payload. Assigning is twice as fast here as merging objects. */
type WriteField<Payload> = (payload: Payload, message: Message) => void;

interface FieldMapping extends Readonly<Record<PushProviderName, WriteField<never>>> {
  /**
   * `cut` shortens the text, `dropped` omits the field, `kept` changes nothing. The body is cut first, then fields are
   * dropped from the last row up, then the title is cut.
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
    apns: ({ aps }, message) => {
      // An iPhone would play the sound of each update.
      const isUpdate = message.interaction?.alert === "once";
      if (!isSilent(message) && !isUpdate) aps.sound = toSoundFile(message.sound);
    },
    fcm: (payload, message) => {
      if (!isSilent(message)) payload.sound = message.sound ?? "default";
    },
    webpush: ({ data }, message) => (data.sound = isSilent(message) ? null : message.sound),
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
    apns: ({ aps }, message) => {
      aps["interruption-level"] = getInterruptionLevel(message);
      if (staysOnScreen(message)) aps["relevance-score"] = 1;
    },
    fcm: (payload, { timeSensitive }) => (payload.timeSensitive = timeSensitive ? "1" : "0"),
    webpush: (payload, message) => {
      if (staysOnScreen(message)) payload.requireInteraction = true;
    },
  },
  // The default priority is left out, so that the payload is the same as in earlier versions.
  priority: {
    whenTooLarge: "kept",
    apns: (payload, message) => {
      if (message.priority !== DEFAULT_PRIORITY) payload.priority = message.priority;
      if (soundsAgain(message)) payload.renotify = 1;
    },
    fcm: (payload, message) => {
      if (message.priority !== DEFAULT_PRIORITY) payload.priority = message.priority;
      if (soundsAgain(message)) payload.renotify = "1";
    },
    webpush: ({ data }, message) => {
      if (soundsAgain(message)) data.renotify = 1;
    },
  },
  // No push service renders Markdown: the body of a message is plain text.
  markdown: { whenTooLarge: "kept", apns: omitField, fcm: omitField, webpush: omitField },
} as const satisfies Readonly<Record<keyof NotificationContent, FieldMapping>>;

const INTERRUPTION_LEVELS: Readonly<Record<Priority, InterruptionLevel>> = {
  low: "passive",
  normal: "active",
  high: "active",
  emergency: "time-sensitive",
};

function getInterruptionLevel(message: Message): InterruptionLevel {
  if (isQuiet(message)) return "passive";
  return message.timeSensitive ? "time-sensitive" : INTERRUPTION_LEVELS[message.priority];
}

/** Returns whether a message stays on the screen of a computer, and is the first in a summary of an iPhone. */
function staysOnScreen(message: Message): boolean {
  const { timeSensitive, priority } = message;
  const isUrgent = timeSensitive || priority === "high" || priority === "emergency";
  return isUrgent && !isQuiet(message);
}

/** Returns the name of a sound file bundled with the app. */
function toSoundFile(sound: NotificationContent["sound"]): string {
  return sound === null || sound === "default" ? "default" : `${sound}.caf`;
}
