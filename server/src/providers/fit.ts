import { FIELDS } from "./fields.ts";
import type { Message } from "./provider.ts";

/** How a push service wants its messages, and how large at most. */
export interface Form<T> {
  readonly limitBytes: number;
  /** Puts a message into the form; text that was cut is marked. */
  readonly shape: (message: Message, isTruncated: boolean) => T;
  readonly sizeOf: (shaped: T) => number;
  /** Returns the longest beginning of a text, cut between graphemes, that takes at most so many bytes in the form. */
  readonly cut: (text: string, maxBytes: number) => string;
}

/**
 * Returns a message in a form that it fits into, or null where what is kept of it, as its link, is alone too long. To fit, it
 * cuts the body, then drops fields one by one, then cuts the title: `fields.ts` says which.
 */
export function fitMessage<T>(form: Form<T>, message: Message): T | null {
  let rest = message;
  for (const name of DROPPED) {
    if (rest[name] === null) continue;
    const whole = cutBody(form, rest);
    if (whole !== null) return whole;
    rest = { ...rest, [name]: null };
  }
  return cutBody(form, rest) ?? cutTitle(form, rest);
}

/**
 * Returns a function that computes something once per message, for all of its devices, and keeps it as long as the message.
 */
export function oncePerMessage<T>(make: (message: Message) => T): (message: Message) => T {
  const made = new WeakMap<Message, { readonly value: T }>();
  return (message) => {
    const known = made.get(message);
    if (known !== undefined) return known.value;
    const value = make(message);
    made.set(message, { value });
    return value;
  };
}

/** Returns a message without all that may be dropped. */
export function withoutDropped(message: Message): Message {
  return { ...message, ...Object.fromEntries(DROPPED.map((name) => [name, null])) };
}

/** Gives up the body, and as much of the title as it must; null where not even one grapheme of it has room. */
export function cutTitle<T>(form: Form<T>, message: Message): T | null {
  const { limitBytes, shape, sizeOf, cut } = form;
  const bare = sizeOf(shape({ ...message, title: LETTER, body: "" }, true)) - 1;
  const title = cut(message.title, limitBytes - bare);
  return title === "" ? null : shape({ ...message, title, body: "" }, true);
}

/** In place of a text it takes one byte, and its name and punctuation are counted where a form leaves out an empty one. */
const LETTER = "x";

/** Keeps the whole title; null where not even one grapheme of the body has room beside it. */
function cutBody<T>(form: Form<T>, message: Message): T | null {
  const { limitBytes, shape, sizeOf, cut } = form;
  const whole = shape(message, false);
  if (sizeOf(whole) <= limitBytes) return whole;
  const bare = sizeOf(shape({ ...message, body: LETTER }, true)) - 1;
  const body = cut(message.body, limitBytes - bare);
  return body === "" ? null : shape({ ...message, body }, true);
}

type FieldTable = typeof FIELDS;

type DroppedField = {
  [Name in keyof FieldTable]: FieldTable[Name]["whenTooLarge"] extends "dropped" ? Name : never;
}[keyof FieldTable];

const NAMES = Object.keys(FIELDS) as readonly (keyof FieldTable)[]; // Its keys.

/** In the order in which they are dropped; `rest` above takes null for each. */
const DROPPED = NAMES.filter(
  (name): name is DroppedField => FIELDS[name].whenTooLarge === "dropped",
).toReversed();
