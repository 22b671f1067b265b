/** Part of a text: words, or a web address. */
export interface TextPart {
  readonly text: string;
  readonly isAddress: boolean;
}

/** Only addresses with a scheme count: `main.rs` and `10.0.0.1` do not. */
const ADDRESS = /https?:\/\/[^\s<>"'`“”„]+/giu;
/** Punctuation at the end belongs to the sentence, not to the address. */
const AFTER = /[.,;:!?*_~|]+$/u;

const BRACKETS = [
  ["(", ")"],
  ["[", "]"],
  ["{", "}"],
] as const;

/** Returns the parts of a text, so that its addresses can be links; together they are the text. */
export function partsOf(text: string): readonly TextPart[] {
  const parts: TextPart[] = [];
  let at = 0;
  for (const { 0: found, index } of text.matchAll(ADDRESS)) {
    const address = addressIn(found);
    if (!URL.canParse(address)) continue;
    parts.push({ text: text.slice(at, index), isAddress: false });
    parts.push({ text: address, isAddress: true });
    at = index + address.length;
  }
  parts.push({ text: text.slice(at), isAddress: false });
  return parts.filter((part) => part.text !== "");
}

/** A closing bracket belongs to the address if its opening one does. */
function addressIn(found: string): string {
  const address = found.replace(AFTER, "");
  for (const [open, close] of BRACKETS) {
    if (!address.endsWith(close)) continue;
    if (address.split(open).length < address.split(close).length) {
      return addressIn(address.slice(0, -1));
    }
  }
  return address;
}
