import { DEFAULT_PRIORITY, type NotificationContent, type Priority, type Sound } from "@tocsin/sdk";
import type { ContentColumns } from "#database/schema.ts";
import {
  readChannel,
  readFlag,
  readPriority,
  readSound,
  readUrl,
  requireBody,
  requireText,
  removeBidiOverrides,
  type ContentInput,
} from "./readers.ts";

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

/**
 * Parses a field, and maps it to its column. Each function assigns a property by its literal name: computed names made
 * parsing a notification and building its row five times as slow.
 */
interface ContentFieldMapping {
  readonly parse: (target: Mutable<NotificationContent>, input: ContentInput) => void;
  readonly store: (target: ContentColumns, content: NotificationContent) => void;
  readonly load: (target: Mutable<NotificationContent>, columns: Readonly<ContentColumns>) => void;
}

/** The fields, in the order of their validation. */
const MAPPING_BY_FIELD: Readonly<Record<keyof NotificationContent, ContentFieldMapping>> = {
  title: {
    parse: (target, input) => (target.title = removeBidiOverrides(requireText(input, "title"))),
    store: (target, { title }) => (target.title = title),
    load: (target, { title }) => (target.title = title),
  },
  body: {
    parse: (target, input) => (target.body = requireBody(input, target.title)),
    store: (target, { body }) => (target.body = body),
    load: (target, { body }) => (target.body = body),
  },
  sound: {
    parse: (target, input) => (target.sound = readSound(input)),
    store: (target, { sound }) => (target.sound = sound),
    load: (target, { sound }) => (target.sound = sound as Sound | null), // Only `store` above writes the column.
  },
  channel: {
    parse: (target, input) => (target.channel = readChannel(input)),
    store: (target, { channel }) => (target.channel = channel),
    load: (target, { channel }) => (target.channel = channel),
  },
  link: {
    parse: (target, input) => (target.link = readUrl(input, "link")),
    store: (target, { link }) => (target.link = link),
    load: (target, { link }) => (target.link = link),
  },
  image: {
    parse: (target, input) => (target.image = readUrl(input, "image")),
    store: (target, { image }) => (target.image = image),
    load: (target, { image }) => (target.image = image),
  },
  icon: {
    parse: (target, input) => (target.icon = readUrl(input, "icon")),
    store: (target, { icon }) => (target.icon = icon),
    load: (target, { icon }) => (target.icon = icon),
  },
  timeSensitive: {
    parse: (target, input) => (target.timeSensitive = readFlag(input, "timeSensitive")),
    store: (target, { timeSensitive }) => (target.time_sensitive = timeSensitive ? 1 : 0),
    load: (target, { time_sensitive }) => (target.timeSensitive = time_sensitive === 1),
  },
  priority: {
    parse: (target, input) => (target.priority = readPriority(input)),
    // Null stands for the default, as in rows of earlier versions.
    store: (target, { priority }) =>
      (target.priority = priority === DEFAULT_PRIORITY ? null : priority),
    load: (target, { priority }) =>
      (target.priority = (priority as Priority | null) ?? DEFAULT_PRIORITY), // Only `store` above writes the column.
  },
  markdown: {
    parse: (target, input) => (target.markdown = readFlag(input, "markdown")),
    store: (target, { markdown }) => (target.markdown = markdown ? 1 : 0),
    load: (target, { markdown }) => (target.markdown = markdown === 1),
  },
};

const MAPPINGS: readonly ContentFieldMapping[] = Object.values(MAPPING_BY_FIELD);

/** Returns the content of a request; throws `invalid_field` for the first invalid field. */
export function parseContent(input: ContentInput): NotificationContent {
  const content = {} as Mutable<NotificationContent>; // Each field is assigned below.
  for (const { parse } of MAPPINGS) parse(content, input);
  return content;
}

/** Adds the columns of a notification's content to a row, and returns it. */
export function addContentColumns<T extends object>(row: T, content: NotificationContent) {
  const columns = row as T & ContentColumns; // Each column is assigned below.
  for (const { store } of MAPPINGS) store(columns, content);
  return columns;
}

/** Adds the content in the columns of a row to an object, and returns it. */
export function addContentFromColumns<T extends object>(
  target: T,
  columns: Readonly<ContentColumns>,
) {
  const content = target as T & NotificationContent; // Each field is assigned below.
  for (const { load } of MAPPINGS) load(content, columns);
  return content;
}
