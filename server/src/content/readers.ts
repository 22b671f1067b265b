import {
  CONTENT_FIELDS,
  DEFAULT_PRIORITY,
  PRIORITIES,
  REFUSED_LINK_SCHEMES,
  SOUNDS,
  type Priority,
  type Sound,
  CHANNEL_PATTERN,
} from "@tocsin/sdk";
import { invalidField } from "#errors.ts";

/** The unparsed fields of a request: members of a JSON body, or query parameters. */
export interface ContentInput {
  readonly fields: Readonly<Record<string, unknown>>;
  /** A JSON body has booleans; a query has words such as `true`. */
  readonly flagFormat: "booleans" | "words";
}

/** Returns the cleaned text of a field; throws if it is missing, too long or not a string. */
export function requireText({ fields }: ContentInput, name: FieldNameOfKind<"text">): string {
  const value = fields[name];
  if (value === undefined || value === null) throw invalidField(name, `${name} is required.`);
  if (typeof value !== "string") throw invalidField(name, `${name} must be a string.`);
  requireLength(name, value, CONTENT_FIELDS[name].lengthMax);
  return cleanText(value);
}

/** Returns the body; throws if both the body and the title are empty. */
export function requireBody(input: ContentInput, title: string): string {
  const body = requireText(input, "body");
  if (title !== "" || body !== "") return body;
  throw invalidField(
    "title",
    "title and body are both empty; at least one of them must contain text.",
  );
}

/**
 * Returns text without LRO and RLO, which reverse the following text, even in adjacent elements (UAX 9 section 2.2).
 */
export function removeBidiOverrides(text: string): string {
  return text.replaceAll(/[\u202d\u202e]/g, "");
}

/** Returns the sound; null if none is set. Throws for an unknown one. */
export function readSound(input: ContentInput): Sound | null {
  const value = readText(input, "sound");
  const sound = SOUNDS.find((name) => name === value);
  if (value === null || sound !== undefined) return sound ?? null;
  throw invalidField("sound", `sound must be one of ${SOUNDS.join(", ")}.`);
}

/**
 * Returns the priority, or the default one if none is set. An unknown value counts as not set: public clients send
 * priorities of other services, such as `3`, and their notifications must arrive.
 */
export function readPriority({ fields }: ContentInput): Priority {
  return findPriority(fields["priority"]) ?? DEFAULT_PRIORITY;
}

/** Returns the names of the fields whose values the parser ignores, although they are set. */
export function listIgnoredFields({ fields }: ContentInput): readonly string[] {
  const { priority } = fields;
  if (priority === undefined || priority === null || priority === "") return NO_FIELDS;
  return findPriority(priority) === undefined ? IGNORED_PRIORITY : NO_FIELDS;
}

const NO_FIELDS: readonly string[] = [];
const IGNORED_PRIORITY: readonly string[] = ["priority"];

function findPriority(value: unknown): Priority | undefined {
  if (typeof value !== "string") return undefined;
  const name = value.toLowerCase();
  return PRIORITIES.find((priority) => priority === name);
}

const CHANNEL_REGEXP = new RegExp(CHANNEL_PATTERN);

/** Returns the channel, or the default one if none is set. Throws for an invalid one. */
export function readChannel(input: ContentInput): string {
  const value = readText(input, "channel") ?? CONTENT_FIELDS.channel.default;
  if (CHANNEL_REGEXP.test(value)) return value;
  throw invalidField("channel", "channel may have 1 to 64 letters, digits and hyphens.");
}

/** Returns a URL; null if none is set. Throws if the rules of the field do not allow it. */
export function readUrl(input: ContentInput, name: FieldNameOfKind<"url">): string | null {
  const value = readText(input, name);
  if (value === null) return null;
  // A URL parser skips tabs and newlines anywhere, so the stored URL has none.
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

function requireScheme(name: FieldNameOfKind<"url">, scheme: string): void {
  const { schemes } = CONTENT_FIELDS[name];
  if (schemes === "web" && scheme !== "https:" && scheme !== "http:") {
    throw invalidField(name, `${name} must begin with https: or http:.`);
  }
  if (REFUSED_LINK_SCHEME_SET.has(scheme)) {
    throw invalidField(name, `${name} must not begin with ${scheme}.`);
  }
}

const REFUSED_LINK_SCHEME_SET: ReadonlySet<string> = new Set(REFUSED_LINK_SCHEMES);

/** Returns whether a flag is set; false if it is absent. Throws for a value of another format. */
export function readFlag(input: ContentInput, name: FieldNameOfKind<"flag">): boolean {
  return input.flagFormat === "words" ? readWordFlag(input, name) : readJsonFlag(input, name);
}

function readJsonFlag(input: ContentInput, name: string): boolean {
  if (!isGiven(input, name)) return false;
  const value = input.fields[name];
  if (typeof value === "boolean") return value;
  throw invalidField(name, `${name} must be true or false.`);
}

function readWordFlag(input: ContentInput, name: string): boolean {
  const value = readText(input, name)?.toLowerCase() ?? "false";
  if (value === "true" || value === "1") return true;
  if (value === "false" || value === "0") return false;
  throw invalidField(name, `${name} must be true, false, 1 or 0.`);
}

/** The names of the fields of one kind. */
type FieldNameOfKind<Kind> = {
  [Name in keyof typeof CONTENT_FIELDS]: (typeof CONTENT_FIELDS)[Name]["kind"] extends Kind
    ? Name
    : never;
}[keyof typeof CONTENT_FIELDS];

/** Returns whether a field has a value: null and "" mean "not given". */
export function isGiven({ fields }: Pick<ContentInput, "fields">, name: string): boolean {
  const value = fields[name];
  return value !== undefined && value !== null && value !== "";
}

/** Returns a string; null for a field that is absent, `null` or empty. Throws for any other type. */
function readText(input: ContentInput, name: string): string | null {
  if (!isGiven(input, name)) return null;
  const value = input.fields[name];
  if (typeof value !== "string") throw invalidField(name, `${name} must be a string.`);
  return value;
}

/**
 * Throws if a text is too long. Counts code points, as JSON Schema's `maxLength` does: an emoji is one or a few
 * characters, however many bytes it has.
 */
function requireLength(name: string, text: string, lengthMax: number): void {
  if (text.length <= lengthMax || Array.from(text).length <= lengthMax) return;
  throw invalidField(name, `${name} may have at most ${lengthMax} characters.`);
}

/**
 * Returns well-formed text without the control characters of ASCII except newline, tab and DEL. So both databases store
 * the same bytes, and a notification with stray control characters still arrives.
 */
export function cleanText(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these are the characters to remove
  return text.toWellFormed().replaceAll(/[\u0000-\u0008\u000b-\u001f]/g, "");
}
