/** A notification as the worker shows it. */
export interface PushMessage {
  /** Empty if the message names none. */
  readonly id: string;
  readonly title: string;
  readonly body: string;
  /** Page of this server that a click opens; always of its origin. */
  readonly navigate: string;
  /** Tag by which the same notification, sent again, replaces the earlier one. */
  readonly tag: string;
  /** Address of the sender's link, as it came; null if there is none. */
  readonly link: string | null;
  readonly image: string | null;
  /** Name of the sound that the sender asked for; browsers let no notification bring its own. */
  readonly sound: string | null;
  readonly requireInteraction: boolean;
  readonly silent: boolean;
}

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
    title,
    body: textOf(notification["body"]),
    navigate: pageOf({ navigate: textOf(notification["navigate"]), id, origin }),
    tag: textOf(notification["tag"]) || id || GENERIC_TAG,
    link: textOf(data["link"]) || null,
    image: imageOf(textOf(notification["image"])),
    sound: textOf(data["sound"]) || null,
    requireInteraction: notification["requireInteraction"] === true,
    silent: notification["silent"] === true,
  };
}

/** Returns the notification to show if nothing can be read. */
export function genericMessage(origin: string): PushMessage {
  return {
    id: "",
    title: "Tocsin",
    body: "A new notification is in your feed.",
    navigate: `${origin}/`,
    tag: GENERIC_TAG,
    link: null,
    image: null,
    sound: null,
    requireInteraction: false,
    silent: false,
  };
}

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

function imageOf(image: string): string | null {
  return URL.canParse(image) && /^https?:$/.test(new URL(image).protocol) ? image : null;
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
