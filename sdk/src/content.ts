import { LIMITS } from "./limits.ts";

/** Every sound a notification may name. */
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

/** The channel of a notification that names none. */
export const DEFAULT_CHANNEL = "feed";

/**
 * The content of a notification, complete: the server stores it, sends it and answers with it. A request may leave out
 * all but `title` and `body`.
 */
export interface NotificationContent {
  /** At most 1,024 characters; may be `""` when `body` is not. */
  readonly title: string;
  /** At most 32,768 characters; may be `""` when `title` is not. */
  readonly body: string;
  /** Played by native apps; browsers make the system's own sound, and play this one too while a page of the console is open. */
  readonly sound: Sound | null;
  /** 1 to 64 letters, digits and hyphens; `feed` when not given. */
  readonly channel: string;
  /** An absolute URL of at most 2,048 characters, without user info; a tap opens it, in Safari by way of the notification's page. */
  readonly link: string | null;
  /** An absolute `https:` or `http:` URL of at most 2,048 characters; the devices fetch it, the server never does. */
  readonly image: string | null;
  /** A small picture beside the text, with the rules of `image`: browsers show it in place of the bell, native apps as they like. */
  readonly icon: string | null;
  /** Breaks through do-not-disturb in a native iOS app, never in a browser; false when not given. */
  readonly timeSensitive: boolean;
  /** Whether `body` is Markdown (CommonMark without HTML), which the feed shows and a push brings without its marks. */
  readonly markdown: boolean;
}

/** The rule for a field of a notification; schemas, documentation, forms and options of commands follow from it. */
export type ContentField = {
  /** Half a sentence on its meaning. */
  readonly about: string;
} & (
  | { readonly kind: "text"; readonly lengthMax: number }
  | { readonly kind: "choice"; readonly values: readonly string[] }
  /** Letters, digits and hyphens. */
  | { readonly kind: "name"; readonly lengthMax: number; readonly default: string }
  /** An absolute URL: of any scheme but those that browsers execute, or of the web alone. */
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
  markdown: {
    kind: "flag",
    about:
      "the body is Markdown (CommonMark with tables and strikethrough, without HTML): the feed renders it, a push contains the plain text",
  },
} as const satisfies Readonly<Record<keyof NotificationContent, ContentField>>;

/** A notification that says nothing: each field as it is where a caller gives none. */
export const EMPTY_CONTENT = Object.freeze(
  Object.fromEntries(Object.entries(CONTENT_FIELDS).map(([name, field]) => [name, unset(field)])),
) as unknown as NotificationContent; // Made of every field.

function unset(field: ContentField): string | boolean | null {
  if (field.kind === "text") return "";
  if (field.kind === "name") return field.default;
  return field.kind === "flag" ? false : null;
}
