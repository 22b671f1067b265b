import type { NotificationContent, Sound } from "@tocsin/sdk";
import type { ContentColumns } from "#database/schema.ts";
import {
  readChannel,
  readFlag,
  readSound,
  readUrl,
  requireBody,
  requireText,
  withoutOverrides,
  type Given,
} from "./readers.ts";

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

/**
 * How a request has a field, and which column stores it. Each function assigns a property by its literal name: computed
 * names made parsing a notification and making its row five times as slow.
 */
interface ContentField {
  readonly parse: (to: Mutable<NotificationContent>, given: Given) => void;
  readonly store: (to: ContentColumns, content: NotificationContent) => void;
  readonly load: (to: Mutable<NotificationContent>, columns: Readonly<ContentColumns>) => void;
}

/** The rows in the order in which a request is checked. */
const ROWS: Readonly<Record<keyof NotificationContent, ContentField>> = {
  title: {
    parse: (to, given) => (to.title = withoutOverrides(requireText(given, "title"))),
    store: (to, { title }) => (to.title = title),
    load: (to, { title }) => (to.title = title),
  },
  body: {
    parse: (to, given) => (to.body = requireBody(given, to.title)),
    store: (to, { body }) => (to.body = body),
    load: (to, { body }) => (to.body = body),
  },
  sound: {
    parse: (to, given) => (to.sound = readSound(given)),
    store: (to, { sound }) => (to.sound = sound),
    load: (to, { sound }) => (to.sound = sound as Sound | null), // Stored by this row alone.
  },
  channel: {
    parse: (to, given) => (to.channel = readChannel(given)),
    store: (to, { channel }) => (to.channel = channel),
    load: (to, { channel }) => (to.channel = channel),
  },
  link: {
    parse: (to, given) => (to.link = readUrl(given, "link")),
    store: (to, { link }) => (to.link = link),
    load: (to, { link }) => (to.link = link),
  },
  image: {
    parse: (to, given) => (to.image = readUrl(given, "image")),
    store: (to, { image }) => (to.image = image),
    load: (to, { image }) => (to.image = image),
  },
  icon: {
    parse: (to, given) => (to.icon = readUrl(given, "icon")),
    store: (to, { icon }) => (to.icon = icon),
    load: (to, { icon }) => (to.icon = icon),
  },
  timeSensitive: {
    parse: (to, given) => (to.timeSensitive = readFlag(given, "timeSensitive")),
    store: (to, { timeSensitive }) => (to.time_sensitive = timeSensitive ? 1 : 0),
    load: (to, { time_sensitive }) => (to.timeSensitive = time_sensitive === 1),
  },
  markdown: {
    parse: (to, given) => (to.markdown = readFlag(given, "markdown")),
    store: (to, { markdown }) => (to.markdown = markdown ? 1 : 0),
    load: (to, { markdown }) => (to.markdown = markdown === 1),
  },
};

const ROW_LIST: readonly ContentField[] = Object.values(ROWS);

/** Returns the content that a request gives; throws `invalid_field` for the first field that is wrong. */
export function parseContent(given: Given): NotificationContent {
  const content = {} as Mutable<NotificationContent>; // Each row assigns its field.
  for (const { parse } of ROW_LIST) parse(content, given);
  return content;
}

/** Returns a row with the columns of a content added to it. */
export function withColumns<T extends object>(row: T, content: NotificationContent) {
  const columns = row as T & ContentColumns; // Each row of the table assigns its column.
  for (const { store } of ROW_LIST) store(columns, content);
  return columns;
}

/** Returns an object with the content that the columns of a row hold added to it. */
export function withContent<T extends object>(to: T, columns: Readonly<ContentColumns>) {
  const content = to as T & NotificationContent; // Each row of the table assigns its field.
  for (const { load } of ROW_LIST) load(content, columns);
  return content;
}
