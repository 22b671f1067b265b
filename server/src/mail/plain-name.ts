/**
 * Reduces a name to at most 40 letters, digits, spaces and harmless punctuation characters. Without dots, slashes,
 * colons and at signs, the result cannot look like a URL or an email address. It may be empty.
 */
export function toPlainName(name: string): string {
  // NFKC first, because mail programs treat full-width dots and slashes like ordinary ones.
  const plainName = name
    .toWellFormed()
    .normalize("NFKC")
    .replace(/[^\p{L}\p{M}\p{N}\-_'’&+,()!#]+/gu, " ")
    .trim();
  return Array.from(plainName).slice(0, NAME_MAX_CHARACTERS).join("").trim();
}

/** Maximum length of a stranger's name in a mail. */
const NAME_MAX_CHARACTERS = 40;
