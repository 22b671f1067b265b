/**
 * Returns a name of letters, digits, spaces and harmless marks, at most 40 characters; without dots, slashes,
 * colons and at signs nothing in it looks like a URL or an address. May be empty.
 */
export function plainName(name: string): string {
  // NFKC first: full-width dots and slashes are as good as their models to a mail program.
  const words = name
    .toWellFormed()
    .normalize("NFKC")
    .replace(/[^\p{L}\p{M}\p{N}\-_'’&+,()!#]+/gu, " ")
    .trim();
  return Array.from(words).slice(0, NAME_MAX).join("").trim();
}

/** What strangers wrote stands in a mail up to this length. */
const NAME_MAX = 40;
