import { LIMITS } from "./limits.ts";

/** Every sound that a notification may name. */
export const SOUNDS = [
  "default",
  "arcade",
  "correct",
  "fail",
  "harp",
  "reveal",
  "bubble",
  "doorbell",
  "flute",
  "money",
  "scifi",
  "clear",
  "elevator",
  "guitar",
  "pop",
] as const;

/** The name of a sound. */
export type Sound = (typeof SOUNDS)[number];

/** Every priority of a notification, in rising order. */
export const PRIORITIES = ["low", "normal", "high", "emergency"] as const;

/** The priority of a notification. */
export type Priority = (typeof PRIORITIES)[number];

/** The priority of a notification that names no priority. */
export const DEFAULT_PRIORITY: Priority = "normal";

/** The channel of a notification that names no channel. */
export const DEFAULT_CHANNEL = "feed";

/** The names that a channel may have, as a regular expression. */
export const CHANNEL_PATTERN = `^[A-Za-z0-9-]{1,${LIMITS.channelLength}}$`;

/**
 * The complete content of a notification, as the server stores, sends and returns it. A request may omit every field
 * except `title` and `body`.
 */
export interface NotificationContent {
  /** At most 1,024 characters; may be `""` when `body` is not. */
  readonly title: string;
  /** At most 32,768 characters; may be `""` when `title` is not. */
  readonly body: string;
  /** Native apps play it. Browsers make the system's own sound, and also play this one while the console is open. */
  readonly sound: Sound | null;
  /** 1 to 64 letters, digits and hyphens; `feed` by default. */
  readonly channel: string;
  /**
   * An absolute URL of at most 2,048 characters, without user info. A tap opens it. In Safari, a tap opens the
   * notification's page, which links to it.
   */
  readonly link: string | null;
  /** An absolute `https:` or `http:` URL of at most 2,048 characters; the devices fetch it, the server never does. */
  readonly image: string | null;
  /**
   * A small picture next to the text, subject to the same rules as `image`. Browsers show it instead of Tocsin's bell.
   */
  readonly icon: string | null;
  /** Breaks through Focus and Do Not Disturb in a native iPhone app, never in a browser; false by default. */
  readonly timeSensitive: boolean;
  /**
   * How much attention the notification asks for; `normal` by default. A request may write it in any letter case. The
   * server ignores any other value, because many senders have priorities of their own.
   */
  readonly priority: Priority;
  /** Whether `body` is Markdown (CommonMark without HTML). The feed renders it; a push contains the plain text. */
  readonly markdown: boolean;
}

/** The rule for a field of a notification. Schemas, documentation, forms and command options are derived from it. */
export type ContentField = {
  /** The meaning of the field, as a phrase without a full stop. */
  readonly about: string;
} & (
  | { readonly kind: "text"; readonly lengthMax: number }
  | { readonly kind: "choice"; readonly values: readonly string[] }
  /** One of the values, in any letter case. The notification API ignores any other value. */
  | { readonly kind: "level"; readonly values: readonly string[]; readonly default: string }
  /** Letters, digits and hyphens. */
  | {
      readonly kind: "name";
      readonly pattern: string;
      readonly lengthMax: number;
      readonly default: string;
    }
  /** An absolute URL: `harmless` excludes schemes that browsers execute, `web` allows only `https:` and `http:`. */
  | { readonly kind: "url"; readonly schemes: "harmless" | "web"; readonly lengthMax: number }
  | { readonly kind: "flag" }
);

/** The rule for each field of a notification, in the order of the documentation. */
export const CONTENT_FIELDS = {
  title: {
    kind: "text",
    lengthMax: LIMITS.titleLength,
    about: "the event in a few words",
  },
  body: {
    kind: "text",
    lengthMax: LIMITS.bodyLength,
    about: 'the details; one of title and body may be ""',
  },
  sound: {
    kind: "choice",
    values: SOUNDS,
    about:
      "played by native apps; a browser makes the system's own sound, and plays this one too while a page of Tocsin is open in it",
  },
  channel: {
    kind: "name",
    pattern: CHANNEL_PATTERN,
    lengthMax: LIMITS.channelLength,
    default: DEFAULT_CHANNEL,
    about: "groups notifications in the feed",
  },
  link: {
    kind: "url",
    schemes: "harmless",
    lengthMax: LIMITS.linkLength,
    about:
      "opened by a tap, in Safari from the notification's page; one that browsers execute, such as javascript:, is refused",
  },
  image: {
    kind: "url",
    schemes: "web",
    lengthMax: LIMITS.imageLength,
    about: "picture to show; devices fetch it, the server never does",
  },
  icon: {
    kind: "url",
    schemes: "web",
    lengthMax: LIMITS.imageLength,
    about:
      "small picture beside the text, in a browser in place of the bell; devices fetch it, the server never does",
  },
  timeSensitive: {
    kind: "flag",
    about: "breaks through Focus and Do Not Disturb in a native iPhone app, never in a browser",
  },
  priority: {
    kind: "level",
    values: PRIORITIES,
    default: DEFAULT_PRIORITY,
    about:
      "low arrives without a sound, high stays on the screen of a computer, emergency also breaks through Focus in a native iPhone app",
  },
  markdown: {
    kind: "flag",
    about:
      "the body is Markdown (CommonMark with tables and strikethrough, without HTML): the feed renders it, a push contains the plain text",
  },
} as const satisfies Readonly<Record<keyof NotificationContent, ContentField>>;

/** The content of a notification whose caller omits every field. */
export const EMPTY_CONTENT = Object.freeze(
  Object.fromEntries(
    Object.entries(CONTENT_FIELDS).map(([name, field]) => [name, getDefaultValue(field)]),
  ),
) as unknown as NotificationContent; // Built from every field.

function getDefaultValue(field: ContentField): string | boolean | null {
  if (field.kind === "text") return "";
  if (field.kind === "name" || field.kind === "level") return field.default;
  return field.kind === "flag" ? false : null;
}
