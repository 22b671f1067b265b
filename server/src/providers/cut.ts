/** The size of the quotes around a string in JSON. */
const QUOTES_BYTES = 2;

let graphemeSegmenter: Intl.Segmenter | undefined;

/** Returns the size in bytes of a value as JSON in UTF-8. */
export function measureJsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** Returns the longest prefix of whole graphemes that takes at most `maxBytes` inside a JSON string. */
export function cutToJsonBytes(text: string, maxBytes: number): string {
  return cut({
    text,
    maxBytes,
    measureBytes: (segment) => measureJsonBytes(segment) - QUOTES_BYTES,
  });
}

/** Returns the longest prefix of whole graphemes that takes at most `maxBytes` in UTF-8. */
export function cutToUtf8Bytes(text: string, maxBytes: number): string {
  return cut({ text, maxBytes, measureBytes: (segment) => Buffer.byteLength(segment) });
}

interface CutInput {
  readonly text: string;
  readonly maxBytes: number;
  readonly measureBytes: (segment: string) => number;
}

function cut({ text, maxBytes, measureBytes }: CutInput): string {
  // A code unit takes at least one byte, so a longer prefix cannot fit. Segmenting all of a long text would be slow.
  const candidate = text.slice(0, Math.max(0, maxBytes) + 1);
  let end = 0;
  let sizeBytes = 0;
  // Created for the first cut, because it takes 9 ms.
  graphemeSegmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  for (const { segment, index } of graphemeSegmenter.segment(candidate)) {
    sizeBytes += measureBytes(segment);
    if (sizeBytes > maxBytes) break;
    end = index + segment.length;
  }
  return candidate.slice(0, end);
}
