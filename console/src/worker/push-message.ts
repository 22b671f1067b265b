import type { NotificationContent } from "@tocsin/sdk";

/** A push message as the worker shows it. */
export interface PushMessage {
  /** Id of the notification; empty if the message has none. */
  readonly id: string;
  /**
   * URL of the notification's page, on the server's origin. A click opens this page unless the browser can open the
   * sender's link.
   */
  readonly navigate: string;
  /** A notification with the same tag replaces the previous one. */
  readonly tag: string;
  readonly title: string;
  /** The other content. The browser decides how much of it to show. */
  readonly options: DisplayOptions;
  /** The sender's link, unchanged; null for none. */
  readonly link: string | null;
  /**
   * Name of the sender's sound, which an open page plays: browser notifications have no custom sounds. Null for none.
   */
  readonly sound: string | null;
  /** Whether the notification makes a sound even when it replaces one with the same tag. */
  readonly renotify: boolean;
  /** The ways to act on the notification; null if it has neither an incident nor a prompt. */
  readonly interaction: PushInteraction | null;
}

/** The incident or the prompt of a notification, and the ways to act on it. */
export interface PushInteraction {
  readonly incident: string | null;
  readonly prompt: string | null;
  /** The buttons, in their order. */
  readonly actions: readonly PushAction[];
  /** Whether the reader may answer with a text. */
  readonly allowsText: boolean;
}

/** A button of an incident, or a choice of a prompt. */
export type PushAction = readonly [id: string, label: string];

/** The options of a browser notification. */
interface DisplayOptions {
  body?: string;
  icon?: string;
  image?: string;
  requireInteraction?: boolean;
  silent?: boolean;
}

/** The `notification` and `data` members of a message. Each value is checked before its use. */
interface MessageMembers {
  readonly notification: Readonly<Record<string, unknown>>;
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * For each content field, the function that returns the display options for the field; null for a field without display
 * options.
 */
const FIELD_OPTIONS: Readonly<
  Record<keyof NotificationContent, ((members: MessageMembers) => DisplayOptions) | null>
> = {
  title: null,
  body: ({ notification }) => ({ body: toText(notification["body"]) }),
  // An open page plays the sound, and a click opens the link.
  sound: null,
  link: null,
  channel: null,
  image: ({ notification }) => {
    const image = toWebUrl(notification["image"]);
    return image === null ? {} : { image };
  },
  icon: ({ notification }) => ({ icon: toWebUrl(notification["icon"]) ?? BELL_ICON }),
  timeSensitive: ({ notification }) => ({
    requireInteraction: notification["requireInteraction"] === true,
  }),
  // The server has translated the priority into `silent` and `requireInteraction`.
  priority: null,
  // The server sends plain text.
  markdown: null,
};

/**
 * Parses a push message in the declarative format (W3C Push API, "declarative push message"). Returns a generic message
 * in place of any other: a browser revokes the subscription if the worker shows nothing.
 */
export function parsePushMessage(text: string | null, origin: string): PushMessage {
  const message = toMembers(parseJson(text));
  const notification = toMembers(message["notification"]);
  const title = toText(notification["title"]);
  if (message["web_push"] !== DECLARATIVE_VERSION || title === "")
    return createGenericMessage(origin);
  const data = toMembers(notification["data"]);
  const id = toText(data["id"]);
  return {
    id,
    navigate: getPageUrl({ navigate: toText(notification["navigate"]), id, origin }),
    tag: toText(notification["tag"]) || id || GENERIC_TAG,
    title,
    options: {
      silent: notification["silent"] === true,
      ...createDisplayOptions({ notification, data }),
    },
    link: toText(data["link"]) || null,
    sound: toText(data["sound"]) || null,
    renotify: data["renotify"] === 1,
    interaction: toInteraction(data),
  };
}

function toInteraction(data: MessageMembers["data"]): PushInteraction | null {
  const incident = toText(data["incident"]) || null;
  const prompt = toText(data["prompt"]) || null;
  if (incident === null && prompt === null) return null;
  const actions = Array.isArray(data["actions"]) ? data["actions"].filter(isAction) : [];
  return { incident, prompt, actions, allowsText: data["text"] === 1 };
}

/** Returns whether a value is the id and the label of a button. */
export function isAction(value: unknown): value is PushAction {
  return Array.isArray(value) && value.length === 2 && value.every((text) => toText(text) !== "");
}

function createDisplayOptions(members: MessageMembers): DisplayOptions {
  const options = {};
  for (const createOptions of Object.values(FIELD_OPTIONS))
    Object.assign(options, createOptions?.(members));
  return options;
}

/** Returns the message to show in place of an unreadable one. */
export function createGenericMessage(origin: string): PushMessage {
  return {
    id: "",
    navigate: `${origin}/`,
    tag: GENERIC_TAG,
    title: "Tocsin",
    options: { icon: BELL_ICON, body: "A new notification is in your feed." },
    link: null,
    sound: null,
    renotify: false,
    interaction: null,
  };
}

const BELL_ICON = "/icons/bell-192.png";

/**
 * Returns the URL of the notification's page: `navigate` if it is on this server, otherwise the page of the id, or the
 * start page for an empty id.
 */
export function getPageUrl({ navigate, id, origin }: PageUrlInput): string {
  if (URL.canParse(navigate) && new URL(navigate).origin === origin) return navigate;
  return id === "" ? `${origin}/` : `${origin}/n/${encodeURIComponent(id)}`;
}

interface PageUrlInput {
  readonly navigate: string;
  readonly id: string;
  readonly origin: string;
}

/** The version number of the format. It is the number of RFC 8030. */
export const DECLARATIVE_VERSION = 8030;
const GENERIC_TAG = "tocsin";

function toWebUrl(value: unknown): string | null {
  const text = toText(value);
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) ? text : null;
}

function parseJson(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return null;
  }
}

function toMembers(value: unknown): Readonly<Record<string, unknown>> {
  // An object has properties of unknown type. Each value is checked before its use.
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : "";
}
