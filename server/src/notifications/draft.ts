import { LIMITS, REFUSED_LINK_SCHEMES, SOUNDS, type Sound } from "@tocsin/sdk";
import { invalidField, AppError } from "#errors.ts";

/** What a caller wants to say: checked, cleaned, and complete. */
export interface Draft {
  readonly title: string;
  readonly body: string;
  readonly sound: Sound | null;
  readonly channel: string;
  readonly link: string | null;
  readonly image: string | null;
  readonly timeSensitive: boolean;
  /** Whether the body is Markdown. */
  readonly markdown: boolean;
}

const CHANNEL_DEFAULT = "feed";
const CHANNEL = /^[A-Za-z0-9-]{1,64}$/;

const LINK_SCHEMES_REFUSED: ReadonlySet<string> = new Set(REFUSED_LINK_SCHEMES);

/**
 * Returns the draft that a JSON body holds; throws `invalid_json` where it is no object, and
 * `invalid_field` naming the first field that is wrong.
 */
export function parseBody(body: unknown): Draft {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new AppError("invalid_json", 'Send a JSON object such as {"title":"…","body":"…"}.');
  }
  // Unknown fields are ignored, known ones are checked one by one.
  return parse(body as Readonly<Record<string, unknown>>, requireBoolean);
}

/** Returns the draft that the fields of a query hold; throws `invalid_field`, for a repeated parameter too. */
export function parseQuery(query: Readonly<Record<string, unknown>>): Draft {
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value)) throw invalidField(name, `${name} is given more than once.`);
  }
  return parse(query, readBoolean);
}

type Fields = Readonly<Record<string, unknown>>;

function parse(fields: Fields, flag: (fields: Fields, name: string) => boolean): Draft {
  const title = withoutOverrides(requireText(fields, "title", LIMITS.titleLength));
  const body = requireText(fields, "body", LIMITS.bodyLength);
  if (title === "" && body === "") {
    throw invalidField("title", "title and body are both empty; say something in one of them.");
  }
  return {
    title,
    body,
    sound: readSound(fields),
    channel: readChannel(fields),
    link: readUrl(fields, "link"),
    image: readUrl(fields, "image"),
    timeSensitive: flag(fields, "timeSensitive"),
    markdown: flag(fields, "markdown"),
  };
}

function requireText(fields: Fields, name: string, lengthMax: number): string {
  const value = fields[name];
  if (value === undefined || value === null) throw invalidField(name, `${name} is required.`);
  if (typeof value !== "string") throw invalidField(name, `${name} must be a string.`);
  requireLength(name, value, lengthMax);
  return cleanText(value);
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

/** LRO and RLO turn what follows around, also the words of others beside it (UAX 9 section 2.2). */
function withoutOverrides(text: string): string {
  return text.replaceAll(/[\u202d\u202e]/g, "");
}

/** A text that is not given, `null` or empty is null. */
function readText(fields: Fields, name: string): string | null {
  const value = fields[name];
  if (value === undefined || value === null || value === "") return null;
  if (typeof value !== "string") throw invalidField(name, `${name} must be a string.`);
  return value;
}

function readSound(fields: Fields): Sound | null {
  const value = readText(fields, "sound");
  const sound = SOUNDS.find((name) => name === value);
  if (value === null || sound !== undefined) return sound ?? null;
  throw invalidField("sound", `sound must be one of ${SOUNDS.join(", ")}.`);
}

function readChannel(fields: Fields): string {
  const value = readText(fields, "channel") ?? CHANNEL_DEFAULT;
  if (CHANNEL.test(value)) return value;
  throw invalidField("channel", "channel may have 1 to 64 letters, digits and hyphens.");
}

function readUrl(fields: Fields, name: "link" | "image"): string | null {
  const given = readText(fields, name);
  if (given === null) return null;
  // A URL parser skips tabs and newlines anywhere: stored is what it reads.
  const text = cleanText(given)
    .replaceAll(/[\t\n]/g, "")
    .trim();
  requireLength(name, text, name === "link" ? LIMITS.linkLength : LIMITS.imageLength);
  if (!URL.canParse(text)) throw invalidField(name, `${name} must be an absolute URL.`);
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") {
    throw invalidField(name, `${name} must not hold a user name or password.`);
  }
  requireScheme(name, url.protocol);
  return text;
}

function requireScheme(name: "link" | "image", scheme: string): void {
  if (name === "image" && scheme !== "https:" && scheme !== "http:") {
    throw invalidField(name, "image must begin with https: or http:.");
  }
  if (LINK_SCHEMES_REFUSED.has(scheme)) {
    throw invalidField(name, `${name} must not begin with ${scheme}.`);
  }
}

function requireBoolean(fields: Fields, name: string): boolean {
  const value = fields[name];
  if (value === undefined || value === null || value === "") return false;
  if (typeof value === "boolean") return value;
  throw invalidField(name, `${name} must be true or false.`);
}

function readBoolean(fields: Fields, name: string): boolean {
  const value = readText(fields, name)?.toLowerCase() ?? "false";
  if (value === "true" || value === "1") return true;
  if (value === "false" || value === "0") return false;
  throw invalidField(name, `${name} must be true, false, 1 or 0.`);
}
