/**
 * Returns a name of letters, digits, spaces and harmless punctuation, at most 40 characters; without dots, slashes,
 * colons and at signs it cannot look like a URL or an address. May be empty.
 */
export function plainName(name: string): string {
  // NFKC first, because mail programs treat full-width dots and slashes like ordinary ones.
  const words = name
    .toWellFormed()
    .normalize("NFKC")
    .replace(/[^\p{L}\p{M}\p{N}\-_'’&+,()!#]+/gu, " ")
    .trim();
  return Array.from(words).slice(0, NAME_MAX).join("").trim();
}

/** The longest text of a stranger in a mail. */
const NAME_MAX = 40;
