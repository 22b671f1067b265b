import { FIELDS } from "./fields.ts";
import type { Message } from "./provider.ts";

/** The format and size limit of a push service's messages. */
export interface Form<T> {
  readonly limitBytes: number;
  /** Returns a message in this format, marked if its text was cut. */
  readonly shape: (message: Message, isTruncated: boolean) => T;
  readonly sizeOf: (shaped: T) => number;
  /** Returns the longest prefix of whole graphemes that takes at most `maxBytes` in this format. */
  readonly cut: (text: string, maxBytes: number) => string;
}

/**
 * Returns a message shortened to fit its form, or null if the fields that are kept, such as the link, are too long. It cuts
 * the body, then drops fields one by one, then cuts the title, as `fields.ts` defines.
 */
export function fitMessage<T>(form: Form<T>, message: Message): T | null {
  let reduced = message;
  for (const name of DROPPABLE) {
    if (reduced[name] === null) continue;
    const fitted = cutBody(form, reduced);
    if (fitted !== null) return fitted;
    reduced = { ...reduced, [name]: null };
  }
  return cutBody(form, reduced) ?? cutTitle(form, reduced);
}

/**
 * Returns a function that computes a value once per message, for all its devices, and caches it as long as the message lives.
 */
export function oncePerMessage<T>(compute: (message: Message) => T): (message: Message) => T {
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
export function withoutDroppable(message: Message): Message {
  return { ...message, ...Object.fromEntries(DROPPABLE.map((name) => [name, null])) };
}

/** Removes the body and cuts the title to fit; null if not even one grapheme of the title fits. */
export function cutTitle<T>(form: Form<T>, message: Message): T | null {
  const { limitBytes, shape, sizeOf, cut } = form;
  const overheadBytes = sizeOf(shape({ ...message, title: PLACEHOLDER, body: "" }, true)) - 1;
  const title = cut(message.title, limitBytes - overheadBytes);
  return title === "" ? null : shape({ ...message, title, body: "" }, true);
}

/**
 * Replaces a text to measure the rest of the message. It takes one byte. An empty text will not do: some forms omit its name
 * and punctuation.
 */
const PLACEHOLDER = "x";

/** Keeps the title and cuts the body to fit; null if not even one grapheme of the body fits. */
function cutBody<T>(form: Form<T>, message: Message): T | null {
  const { limitBytes, shape, sizeOf, cut } = form;
  const whole = shape(message, false);
  if (sizeOf(whole) <= limitBytes) return whole;
  const overheadBytes = sizeOf(shape({ ...message, body: PLACEHOLDER }, true)) - 1;
  const body = cut(message.body, limitBytes - overheadBytes);
  return body === "" ? null : shape({ ...message, body }, true);
}

type FieldTable = typeof FIELDS;

type DroppableField = {
  [Name in keyof FieldTable]: FieldTable[Name]["whenTooLarge"] extends "dropped" ? Name : never;
}[keyof FieldTable];

const FIELD_NAMES = Object.keys(FIELDS) as readonly (keyof FieldTable)[]; // All keys of `FIELDS`.

/** In the order in which they are dropped. Each may be null, as in `fitMessage`. */
const DROPPABLE = FIELD_NAMES.filter(
  (name): name is DroppableField => FIELDS[name].whenTooLarge === "dropped",
).toReversed();
