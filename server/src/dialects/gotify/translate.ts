import type { NotificationContent, Priority } from "@tocsin/sdk";
import type { DialectSender } from "../dialect.ts";
import { createDraft } from "../draft.ts";
import { encodeExtras } from "../extras.ts";
import { isObject } from "../read-fields.ts";
import type { GotifyMessage } from "./read-message.ts";

/** A message of Gotify's API, translated into a notification. */
export interface TranslatedMessage {
  readonly draft: NotificationContent;
  readonly extras: string | null;
}

/** The priority of a message without one: it makes a sound, as in Gotify's apps. */
export const PRIORITY_DEFAULT = 5;

/** Returns a message as a notification. Without a title, it gets the label of the key, as Gotify uses the name of the application. */
export function translateMessage(
  { message, title, priority, extras }: GotifyMessage,
  { label, channel }: Pick<DialectSender, "label" | "channel">,
): TranslatedMessage {
  const level = priority ?? PRIORITY_DEFAULT;
  const notification = readObject(extras, "client::notification");
  const draft = createDraft({
    title: title.trim() === "" ? (label ?? "") : title,
    body: message,
    channel,
    link: readText(readObject(notification, "click"), "url"),
    image: readText(notification, "bigImageUrl"),
    priority: toPriority(level),
    timeSensitive: level >= LOUD_FROM,
    markdown: readText(readObject(extras, "client::display"), "contentType") === "text/markdown",
  });
  return { draft, extras: createExtras({ priority, extras }) };
}

/** From this priority on, Gotify's Android app is loud. */
const LOUD_FROM = 8;
/** From this priority on, the app makes a sound. */
const AUDIBLE_FROM = 4;
/** From this priority on, a message has the highest priority of ntfy. */
const HIGHEST_FROM = 10;

function toPriority(level: number): Priority {
  if (level >= LOUD_FROM) return "high";
  return level >= AUDIBLE_FROM ? "normal" : "low";
}

function createExtras({ priority, extras }: Pick<GotifyMessage, "priority" | "extras">) {
  const gotify = {
    ...(priority === null ? {} : { priority }),
    ...(extras === null ? {} : { extras }),
  };
  if (priority === null && extras === null) return null;
  const level = priority === null ? {} : { priority: toFiveLevels(priority) };
  return encodeExtras({ ...level, gotify });
}

/** Returns a priority on ntfy's scale, from 1 to 5. */
function toFiveLevels(priority: number): number {
  if (priority <= 0) return 1;
  if (priority < AUDIBLE_FROM) return 2;
  if (priority < LOUD_FROM) return 3;
  return priority < HIGHEST_FROM ? 4 : 5;
}

/** An object in the extras of a message. */
type ExtrasObject = Readonly<Record<string, unknown>>;

function readObject(parent: ExtrasObject | null, name: string): ExtrasObject | null {
  const value = parent?.[name];
  return isObject(value) ? value : null;
}

function readText(parent: ExtrasObject | null, name: string): string | null {
  const value = parent?.[name];
  return typeof value === "string" ? value : null;
}
