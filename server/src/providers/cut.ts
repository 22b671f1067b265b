const GRAPHEMES = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Returns the size of a value as JSON in UTF-8. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** Returns the longest prefix of a text, cut between graphemes, that takes at most so many bytes inside a JSON string. */
export function cutToBytes(text: string, maxBytes: number): string {
  return cut({ text, maxBytes, sizeOf: (segment) => jsonBytes(segment) - 2 });
}

/** Returns the longest prefix of a text, cut between graphemes, that takes at most so many bytes in UTF-8. */
export function cutToUtf8Bytes(text: string, maxBytes: number): string {
  return cut({ text, maxBytes, sizeOf: (segment) => Buffer.byteLength(segment) });
}

interface Cut {
  readonly text: string;
  readonly maxBytes: number;
  readonly sizeOf: (segment: string) => number;
}

function cut({ text, maxBytes, sizeOf }: Cut): string {
  // A code unit takes at least one byte, so no longer prefix can fit. Segmenting a long text whole would be slow.
  const candidate = text.slice(0, Math.max(0, maxBytes) + 1);
  let end = 0;
  let size = 0;
  for (const { segment, index } of GRAPHEMES.segment(candidate)) {
    size += sizeOf(segment);
    if (size > maxBytes) break;
    end = index + segment.length;
  }
  return candidate.slice(0, end);
}
