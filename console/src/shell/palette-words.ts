/** Returns whether a text contains each word of a search, in any letter case. */
export function holds(text: string, query: string): boolean {
  const within = folded(text);
  return folded(query)
    .split(/\s+/u)
    .every((word) => within.includes(word));
}

function folded(text: string): string {
  return text.normalize("NFC").toLowerCase();
}
