import { FIELD_MAPPINGS } from "./fields.ts";
import type { Message } from "./provider.ts";

/** The format and size limit of a push service's payloads. */
export interface PayloadFormat<T> {
  readonly maxBytes: number;
  /** Returns the payload of a message, marked as truncated if the text was cut. */
  readonly build: (message: Message, isTruncated: boolean) => T;
  readonly measureBytes: (payload: T) => number;
  /** Returns the longest prefix of whole graphemes that takes at most `maxBytes` in this format. */
  readonly cutText: (text: string, maxBytes: number) => string;
}

/**
 * Returns the payload of a message, shortened to fit, or null if the fields that are kept, such as the link, are too
 * long. It cuts the body, then drops fields one by one, then cuts the title, as `fields.ts` defines.
 */
export function fitMessage<T>(format: PayloadFormat<T>, message: Message): T | null {
  let reduced = message;
  for (const name of DROPPABLE_FIELDS) {
    if (reduced[name] === null) continue;
    const fitted = cutBody(format, reduced);
    if (fitted !== null) return fitted;
    reduced = { ...reduced, [name]: null };
  }
  return cutBody(format, reduced) ?? cutTitle(format, reduced);
}

/**
 * Returns a function that computes a value once per message, for all its devices, and caches it as long as the message
 * lives.
 */
export function cachePerMessage<T>(compute: (message: Message) => T): (message: Message) => T {
  const cache = new WeakMap<Message, { readonly value: T }>();
  return (message) => {
    const cached = cache.get(message);
    if (cached !== undefined) return cached.value;
    const value = compute(message);
    cache.set(message, { value });
    return value;
  };
}

/** Returns a message without the fields that may be dropped. */
export function dropOptionalFields(message: Message): Message {
  return { ...message, ...Object.fromEntries(DROPPABLE_FIELDS.map((name) => [name, null])) };
}

/** Removes the body and cuts the title to fit; null if not even one grapheme of the title fits. */
export function cutTitle<T>(format: PayloadFormat<T>, message: Message): T | null {
  const { maxBytes, build, measureBytes, cutText } = format;
  const overheadBytes =
    measureBytes(build({ ...message, title: TEXT_PLACEHOLDER, body: "" }, true)) - 1;
  const title = cutText(message.title, maxBytes - overheadBytes);
  return title === "" ? null : build({ ...message, title, body: "" }, true);
}

/**
 * Replaces a text to measure the rest of the payload. It takes one byte. It is not empty, because some formats omit the
 * name and punctuation of an empty text.
 */
const TEXT_PLACEHOLDER = "x";

/** Keeps the title and cuts the body to fit; null if not even one grapheme of the body fits. */
function cutBody<T>(format: PayloadFormat<T>, message: Message): T | null {
  const { maxBytes, build, measureBytes, cutText } = format;
  const wholePayload = build(message, false);
  if (measureBytes(wholePayload) <= maxBytes) return wholePayload;
  const overheadBytes = measureBytes(build({ ...message, body: TEXT_PLACEHOLDER }, true)) - 1;
  const body = cutText(message.body, maxBytes - overheadBytes);
  return body === "" ? null : build({ ...message, body }, true);
}

type FieldTable = typeof FIELD_MAPPINGS;

type DroppableField = {
  [Name in keyof FieldTable]: FieldTable[Name]["whenTooLarge"] extends "dropped" ? Name : never;
}[keyof FieldTable];

// `Object.keys` returns exactly the keys of FIELD_MAPPINGS.
const FIELD_NAMES = Object.keys(FIELD_MAPPINGS) as readonly (keyof FieldTable)[];

/** The fields that may be dropped, in the order of dropping. A dropped field is null. */
const DROPPABLE_FIELDS = FIELD_NAMES.filter(
  (name): name is DroppableField => FIELD_MAPPINGS[name].whenTooLarge === "dropped",
).toReversed();
