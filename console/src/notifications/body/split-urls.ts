/** A part of a text: words or a URL. */
export interface TextPart {
  readonly text: string;
  readonly isUrl: boolean;
}

/** Matches only URLs with a scheme, not `main.rs` or `10.0.0.1`. */
const URL_CANDIDATE = /https?:\/\/[^\s<>"'`“”„]+/giu;
/** Punctuation at the end, which belongs to the sentence. */
const TRAILING_PUNCTUATION = /[.,;:!?*_~|]+$/u;

const BRACKETS = [
  ["(", ")"],
  ["[", "]"],
  ["{", "}"],
] as const;

/** Splits a text into words and URLs. The parts add up to the text. */
export function splitUrls(text: string): readonly TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const { 0: candidate, index } of text.matchAll(URL_CANDIDATE)) {
    const url = trimUrl(candidate);
    if (!URL.canParse(url)) continue;
    parts.push({ text: text.slice(end, index), isUrl: false });
    parts.push({ text: url, isUrl: true });
    end = index + url.length;
  }
  parts.push({ text: text.slice(end), isUrl: false });
  return parts.filter((part) => part.text !== "");
}

/** Removes trailing punctuation. A closing bracket belongs to the URL only if the URL also has its opening bracket. */
function trimUrl(candidate: string): string {
  const url = candidate.replace(TRAILING_PUNCTUATION, "");
  for (const [open, close] of BRACKETS) {
    if (!url.endsWith(close)) continue;
    if (url.split(open).length < url.split(close).length) {
      return trimUrl(url.slice(0, -1));
    }
  }
  return url;
}
