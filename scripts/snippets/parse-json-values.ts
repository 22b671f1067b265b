/** Returns the values of a text that is one JSON value or has one on each line; null for any other text. */
export function parseJsonValues(text: string): readonly unknown[] | null {
  for (const candidates of [[text], text.trim().split("\n")]) {
    try {
      return candidates.map((candidate) => JSON.parse(candidate) as unknown);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  return null;
}
