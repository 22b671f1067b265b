/**
 * Returns the text of a header. Node reads its bytes as Latin-1. This decodes bytes that are UTF-8, and the encoded words
 * of RFC 2047, as binwiederhier/ntfy does (server/util.go: maybeDecodeHeader).
 */
export function decodeHeader(value: string): string {
  return decodeWords(readAsUtf8(value));
}

const UTF_8 = new TextDecoder("utf-8", { fatal: true });

function readAsUtf8(value: string): string {
  // oxlint-disable-next-line no-control-regex -- ASCII is the same in both encodings
  if (/^[\u0000-\u007f]*$/.test(value)) return value;
  try {
    return UTF_8.decode(Buffer.from(value, "latin1"));
  } catch {
    return value; // Latin-1 after all.
  }
}

/** An encoded word (RFC 2047 section 2), whose charset may name a language (RFC 2231 section 5). */
const ENCODED_WORD = /=\?([^?*\s]+)(?:\*[^?\s]*)?\?([bq])\?([^?]*)\?=/gi;

/** Decodes each encoded word that can be decoded. White space between two of them is ignored (section 6.2). */
function decodeWords(text: string): string {
  if (!text.includes("=?")) return text;
  let output = "";
  let end = 0;
  let followsWord = false;
  for (const match of text.matchAll(ENCODED_WORD)) {
    const [word, charset = "", encoding = "", content = ""] = match;
    const decoded = decodeWord(charset, encoding, content);
    const gap = text.slice(end, match.index);
    const isSeparator = followsWord && decoded !== null && gap.trim() === "";
    output += `${isSeparator ? "" : gap}${decoded ?? word}`;
    end = match.index + word.length;
    followsWord = decoded !== null;
  }
  return output + text.slice(end);
}

/** Returns the text of an encoded word; null if its charset is unknown or its bytes are invalid. */
function decodeWord(charset: string, encoding: string, content: string): string | null {
  const bytes =
    encoding.toLowerCase() === "b" ? Buffer.from(content, "base64") : decodeQuoted(content);
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Decodes the encoding Q (RFC 2047 section 4.2). */
function decodeQuoted(content: string): Buffer {
  const characters = content
    .replaceAll("_", " ")
    .replaceAll(/=([0-9a-f]{2})/gi, (_match, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
  return Buffer.from(characters, "latin1");
}
