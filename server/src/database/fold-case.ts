/** Normalizes and lowercases a text. `Engine.contains` uses this for a part that is not printable ASCII. */
export function foldCase(text: string): string {
  return text.normalize("NFC").toLowerCase();
}

/** Returns whether a text is printable ASCII. Databases can ignore the letter case of such a text themselves. */
export function isPrintableAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}
