import { randomInt } from "node:crypto";
import type { Dialect } from "@tocsin/sdk";
import { parseApiKey } from "./api-key.ts";

/** The shape of the keys that the programs of an API accept. */
interface KeyShape {
  readonly prefix: string;
  /** Number of random characters after the prefix. */
  readonly length: number;
  readonly alphabet: string;
  /** Number of characters at the end that may be shown. */
  readonly hintLength: number;
}

const LOWER_CASE_AND_DIGITS = "abcdefghijklmnopqrstuvwxyz0123456789";
/** Without punctuation, so that a double click selects a whole key. */
const LETTERS_AND_DIGITS = `ABCDEFGHIJKLMNOPQRSTUVWXYZ${LOWER_CASE_AND_DIGITS}`;

const SHAPES: Readonly<Record<Dialect, KeyShape>> = {
  /** Apprise recognises a token by this shape (`plugins/ntfy.py`). */
  ntfy: { prefix: "tk_", length: 29, alphabet: LOWER_CASE_AND_DIGITS, hintLength: 4 },
  /** shoutrrr (`pkg/services/gotify/gotify.go`) and gotify/cli refuse every other shape. A key has 83 random bits. */
  gotify: { prefix: "A", length: 14, alphabet: LETTERS_AND_DIGITS, hintLength: 2 },
  /** pushover.net/api: programs check for 30 letters and digits. */
  pushover: { prefix: "a", length: 29, alphabet: LETTERS_AND_DIGITS, hintLength: 4 },
};

/** The shown part of a UUID. */
const UUID_HINT_LENGTH = 4;

/** Returns a new key in the shape of a dialect; for null a lower-case version 4 UUID, which has 122 random bits. */
export function generateApiKey(dialect: Dialect | null): string {
  // oxlint-disable-next-line no-restricted-properties -- a key is a secret from the system's random numbers, not an id
  if (dialect === null) return crypto.randomUUID();
  const { prefix, length, alphabet } = SHAPES[dialect];
  const characters = Array.from({ length }, () => alphabet[randomInt(alphabet.length)]);
  return `${prefix}${characters.join("")}`;
}

/**
 * Returns a key that the paths of a dialect accept, in the form that is hashed: a key in the shape of the dialect, or a
 * UUID in lower case. Null for any other string.
 */
export function parseDialectKey(text: string, dialect: Dialect): string | null {
  return hasShape(text, SHAPES[dialect]) ? text : parseApiKey(text);
}

/** Returns the part of a key that may be shown: its last characters. */
export function toHint(key: string, dialect: Dialect | null): string {
  return key.slice(-(dialect === null ? UUID_HINT_LENGTH : SHAPES[dialect].hintLength));
}

function hasShape(text: string, { prefix, length, alphabet }: KeyShape): boolean {
  if (!text.startsWith(prefix) || text.length !== prefix.length + length) return false;
  return Array.from(text.slice(prefix.length)).every((character) => alphabet.includes(character));
}
