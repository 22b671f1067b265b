import { CONTENT_FIELDS, REFUSED_LINK_SCHEMES, SOUNDS, type Sound } from "@tocsin/sdk";
import { invalidField } from "#errors.ts";

/** The fields of a request as a caller gave them: members of a JSON body, or parameters of a query. */
export interface Given {
  readonly fields: Readonly<Record<string, unknown>>;
  /** A JSON body has true and false; a query has their names. */
  readonly flags: "booleans" | "words";
}

/** Returns the text of a field, cleaned; throws where it is missing, no string or too long. */
export function requireText({ fields }: Given, name: FieldOf<"text">): string {
  const value = fields[name];
  if (value === undefined || value === null) throw invalidField(name, `${name} is required.`);
  if (typeof value !== "string") throw invalidField(name, `${name} must be a string.`);
  requireLength(name, value, CONTENT_FIELDS[name].lengthMax);
  return cleanText(value);
}

/** Returns the body, which says something where the title does not. */
export function requireBody(given: Given, title: string): string {
  const body = requireText(given, "body");
  if (title !== "" || body !== "") return body;
  throw invalidField("title", "title and body are both empty; say something in one of them.");
}

/** Returns a text without LRO and RLO, which reverse what follows, also other texts beside it (UAX 9 section 2.2). */
export function withoutOverrides(text: string): string {
  return text.replaceAll(/[\u202d\u202e]/g, "");
}

/** Returns the sound that is given, null where none is. */
export function readSound(given: Given): Sound | null {
  const value = readText(given, "sound");
  const sound = SOUNDS.find((name) => name === value);
  if (value === null || sound !== undefined) return sound ?? null;
  throw invalidField("sound", `sound must be one of ${SOUNDS.join(", ")}.`);
}

/** Returns the channel that is given, or the default one. */
export function readChannel(given: Given): string {
  const value = readText(given, "channel") ?? CONTENT_FIELDS.channel.default;
  if (CHANNEL.test(value)) return value;
  throw invalidField("channel", "channel may have 1 to 64 letters, digits and hyphens.");
}

const CHANNEL = /^[A-Za-z0-9-]{1,64}$/;

/** Returns the URL that is given, null where none is; throws where the rule of the field refuses it. */
export function readUrl(given: Given, name: FieldOf<"url">): string | null {
  const value = readText(given, name);
  if (value === null) return null;
  // A URL parser skips tabs and newlines anywhere: stored is what it reads.
  const text = cleanText(value)
    .replaceAll(/[\t\n]/g, "")
    .trim();
  requireLength(name, text, CONTENT_FIELDS[name].lengthMax);
  if (!URL.canParse(text)) throw invalidField(name, `${name} must be an absolute URL.`);
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") {
    throw invalidField(name, `${name} must not hold a user name or password.`);
  }
  requireScheme(name, url.protocol);
  return text;
}

function requireScheme(name: FieldOf<"url">, scheme: string): void {
  const { schemes } = CONTENT_FIELDS[name];
  if (schemes === "web" && scheme !== "https:" && scheme !== "http:") {
    throw invalidField(name, `${name} must begin with https: or http:.`);
  }
  if (LINK_SCHEMES_REFUSED.has(scheme)) {
    throw invalidField(name, `${name} must not begin with ${scheme}.`);
  }
}

const LINK_SCHEMES_REFUSED: ReadonlySet<string> = new Set(REFUSED_LINK_SCHEMES);

/** Returns whether a flag is set; one that is not given is not. */
export function readFlag(given: Given, name: FieldOf<"flag">): boolean {
  return given.flags === "words" ? flagInWords(given, name) : flagInJson(given, name);
}

function flagInJson({ fields }: Given, name: string): boolean {
  const value = fields[name];
  if (value === undefined || value === null || value === "") return false;
  if (typeof value === "boolean") return value;
  throw invalidField(name, `${name} must be true or false.`);
}

function flagInWords(given: Given, name: string): boolean {
  const value = readText(given, name)?.toLowerCase() ?? "false";
  if (value === "true" || value === "1") return true;
  if (value === "false" || value === "0") return false;
  throw invalidField(name, `${name} must be true, false, 1 or 0.`);
}

/** The names of the fields of one kind. */
type FieldOf<Kind> = {
  [Name in keyof typeof CONTENT_FIELDS]: (typeof CONTENT_FIELDS)[Name]["kind"] extends Kind
    ? Name
    : never;
}[keyof typeof CONTENT_FIELDS];

/** A text that is not given, `null` or empty is null. */
function readText({ fields }: Given, name: string): string | null {
  const value = fields[name];
  if (value === undefined || value === null || value === "") return null;
  if (typeof value !== "string") throw invalidField(name, `${name} must be a string.`);
  return value;
}

/** Counts code points, as JSON Schema's `maxLength` does: an emoji is one character or few, whatever its bytes. */
function requireLength(name: string, text: string, lengthMax: number): void {
  if (text.length <= lengthMax || Array.from(text).length <= lengthMax) return;
  throw invalidField(name, `${name} may have at most ${lengthMax} characters.`);
}

/**
 * Returns well-formed text without control characters but newline and tab: both databases store the same
 * bytes of it, and an alert with dirt in it still arrives.
 */
function cleanText(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these are the characters to remove
  return text.toWellFormed().replaceAll(/[\u0000-\u0008\u000b-\u001f]/g, "");
}
