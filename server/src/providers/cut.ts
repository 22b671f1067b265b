const GRAPHEMES = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Returns how many bytes a value takes as JSON in UTF-8. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** Returns the longest beginning of a text, cut between graphemes, that takes at most so many bytes inside a JSON string. */
export function cutToBytes(text: string, maxBytes: number): string {
  // A code unit takes at least one byte, so no more than this can fit, and a long text is not segmented in vain.
  const candidate = text.slice(0, Math.max(0, maxBytes) + 1);
  let end = 0;
  let size = 0;
  for (const { segment, index } of GRAPHEMES.segment(candidate)) {
    size += jsonBytes(segment) - 2;
    if (size > maxBytes) break;
    end = index + segment.length;
  }
  return candidate.slice(0, end);
}
