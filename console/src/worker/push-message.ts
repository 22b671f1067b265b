import type { NotificationContent } from "@tocsin/sdk";

/** A push message as the worker shows it. */
export interface PushMessage {
  /** Empty if the message names none. */
  readonly id: string;
  /** Page of this server that a click opens; always of its origin. */
  readonly navigate: string;
  /** Tag by which the same notification, sent again, replaces the earlier one. */
  readonly tag: string;
  readonly title: string;
  /** The content beside the title; the browser decides how much of it to show. */
  readonly options: ShownOptions;
  /** Address of the sender's link, as it came; null if there is none. */
  readonly link: string | null;
  /** Name of the sound that the sender asked for; browsers let no notification bring its own. */
  readonly sound: string | null;
}

/** Options of a browser's notification. */
interface ShownOptions {
  body?: string;
  icon?: string;
  image?: string;
  requireInteraction?: boolean;
  silent?: boolean;
}

/** Members of the notification in a message, and of its data; each value is checked before its use. */
interface Members {
  readonly notification: Readonly<Record<string, unknown>>;
  readonly data: Readonly<Record<string, unknown>>;
}

/** How the browser shows each field of a notification beside the title; null for what it does not show. */
const SHOWN: Readonly<
  Record<keyof NotificationContent, ((members: Members) => ShownOptions) | null>
> = {
  title: null,
  body: ({ notification }) => ({ body: textOf(notification["body"]) }),
  // A page that is open plays the sound, and a click follows the link.
  sound: null,
  link: null,
  channel: null,
  image: ({ notification }) => {
    const image = webAddressOf(notification["image"]);
    return image === null ? {} : { image };
  },
  icon: ({ notification }) => ({ icon: webAddressOf(notification["icon"]) ?? BELL }),
  timeSensitive: ({ notification }) => ({
    requireInteraction: notification["requireInteraction"] === true,
  }),
  // The server sends plain text.
  markdown: null,
};

/**
 * Returns the notification to show for a push message: the declarative format (W3C Push API, "declarative push
 * message"), and for everything else a generic text, since a browser revokes the subscription if nothing is shown.
 */
export function parsePushMessage(text: string | null, origin: string): PushMessage {
  const message = membersOf(parseJson(text));
  const notification = membersOf(message["notification"]);
  const title = textOf(notification["title"]);
  if (message["web_push"] !== DECLARATIVE_VERSION || title === "") return genericMessage(origin);
  const data = membersOf(notification["data"]);
  const id = textOf(data["id"]);
  return {
    id,
    navigate: pageOf({ navigate: textOf(notification["navigate"]), id, origin }),
    tag: textOf(notification["tag"]) || id || GENERIC_TAG,
    title,
    options: {
      silent: notification["silent"] === true,
      ...shownOf({ notification, data }),
    },
    link: textOf(data["link"]) || null,
    sound: textOf(data["sound"]) || null,
  };
}

function shownOf(members: Members): ShownOptions {
  const options = {};
  for (const show of Object.values(SHOWN)) Object.assign(options, show?.(members));
  return options;
}

/** Returns the notification to show if nothing can be read. */
export function genericMessage(origin: string): PushMessage {
  return {
    id: "",
    navigate: `${origin}/`,
    tag: GENERIC_TAG,
    title: "Tocsin",
    options: { icon: BELL, body: "A new notification is in your feed." },
    link: null,
    sound: null,
  };
}

const BELL = "/icons/bell-192.png";

/**
 * Returns the page of this server that an address leads to: itself if it is one, else the notification's own page,
 * which shows where its link goes before it is followed.
 */
export function pageOf({ navigate, id, origin }: Target): string {
  if (URL.canParse(navigate) && new URL(navigate).origin === origin) return navigate;
  return id === "" ? `${origin}/` : `${origin}/n/${encodeURIComponent(id)}`;
}

interface Target {
  readonly navigate: string;
  readonly id: string;
  readonly origin: string;
}

/** The version number of the format, named after RFC 8030. */
const DECLARATIVE_VERSION = 8030;
const GENERIC_TAG = "tocsin";

function webAddressOf(value: unknown): string | null {
  const text = textOf(value);
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) ? text : null;
}

function parseJson(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return null;
  }
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  // Any object can be read by any name; each value is checked before its use.
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
