/** Returns whether a text contains every word of a query, in any letter case. */
export function containsWords(text: string, query: string): boolean {
  const normalizedText = normalize(text);
  return normalize(query)
    .split(/\s+/u)
    .every((word) => normalizedText.includes(word));
}

function normalize(text: string): string {
  return text.normalize("NFC").toLowerCase();
}
