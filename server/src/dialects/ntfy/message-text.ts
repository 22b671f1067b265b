import { LIMITS } from "@tocsin/sdk";
import { cleanText } from "#content/readers.ts";

/** The parts of a request from which the text of a message is made. */
export interface TextSource {
  /** The parameter `message`; "" if it is not given. */
  readonly message: string;
  readonly body: Uint8Array;
  /** Whether `body` is all of the request's body, and not only its beginning. */
  readonly isComplete: boolean;
  /** The name of the file in the body; "" if the request names none. */
  readonly fileName: string;
  /** The name of the file that the message links to; null if it links to none. */
  readonly linkedFileName: string | null;
}

/**
 * Returns the text of a message, of at most 32,768 characters. The text is the body, or the parameter if the body is
 * empty. This server stores no files: if the body is a file, the text says so, because the alert must arrive.
 */
export function createMessageText(source: TextSource): string {
  const { message, fileName, linkedFileName } = source;
  const text = cleanText(message)
    .replaceAll(String.raw`\n`, "\n")
    .trim();
  const bodyText = linkedFileName === null && fileName !== "" ? null : decodeBody(source);
  if (bodyText === null) return describeLostFile(text, cleanFileName(fileName));
  if (bodyText !== "") return shorten(bodyText, !source.isComplete);
  if (text !== "") return shorten(text, false);
  return linkedFileName === null ? "triggered" : `You received a file: ${linkedFileName}`;
}

/** Returns the body as a text; null if it is a file. */
function decodeBody({ body, isComplete }: TextSource): string | null {
  // A body that was cut may end within a character.
  const text = decodeUtf8(body, isComplete) ?? decodeOtherText(body);
  return text === null ? null : cleanText(text).trim();
}

/** Returns UTF-8 as a text; null for other bytes. Incomplete bytes may end within a character, which is left out. */
function decodeUtf8(bytes: Uint8Array, isComplete: boolean): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: !isComplete });
  } catch {
    return null;
  }
}

/**
 * Returns a text that is not UTF-8, such as one from a terminal with Latin-1; null for the bytes of a file. ntfy keeps such
 * a text as a file that the app can open, so its words must arrive. As in ntfy, control characters reveal a file
 * (gabriel-vasile/mimetype: WHATWG MIME Sniffing section 7.1, binary data bytes).
 */
function decodeOtherText(bytes: Uint8Array): string | null {
  if (bytes.some((byte) => byte < 0x20 && !TEXT_CONTROL_BYTES.has(byte))) return null;
  const utf8 = decodeUtf8(bytes, false);
  // A program that cuts a text after some bytes may cut a character of UTF-8.
  const hasMultiByteCharacter = utf8 !== null && Buffer.byteLength(utf8) > utf8.length;
  return hasMultiByteCharacter ? utf8 : LATIN_1.decode(bytes);
}

/** Tab, line feed, form feed, carriage return and escape. */
const TEXT_CONTROL_BYTES: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0c, 0x0d, 0x1b]);
const LATIN_1 = new TextDecoder("latin1");

/** Returns a name on one line, of at most 255 characters; `attachment` if nothing is left. */
export function cleanFileName(name: string): string {
  const line = cleanText(name).replaceAll(/\s+/g, " ").trim();
  return line === "" ? "attachment" : cutText(line, FILE_NAME_MAX_CHARACTERS);
}

const FILE_NAME_MAX_CHARACTERS = 255;

function describeLostFile(text: string, name: string): string {
  if (text === "") return `You received a file: ${name}, which this server does not keep.`;
  const note = `\n(not kept: ${name})`;
  return cutText(text, LIMITS.bodyLength - note.length) + note;
}

function shorten(text: string, isCut: boolean): string {
  if (!isCut && countCharacters(text) <= LIMITS.bodyLength) return text;
  return cutText(text, LIMITS.bodyLength - CUT_NOTE.length) + CUT_NOTE;
}

const CUT_NOTE = "\n(not kept: the rest of this text)";

/** Counts code points, like the limits of a notification. */
function countCharacters(text: string): number {
  return text.length <= LIMITS.bodyLength ? text.length : Array.from(text).length;
}

/** Returns the first characters of a text, counted in code points. */
export function cutText(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text;
  // A code point has at most two code units.
  return Array.from(text.slice(0, lengthMax * 2))
    .slice(0, lengthMax)
    .join("")
    .toWellFormed();
}
