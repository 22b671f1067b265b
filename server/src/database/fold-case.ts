/** Normalizes and lowercases a text. `Engine.contains` uses it if the part it looks for is not ASCII. */
export function foldCase(text: string): string {
  return text.normalize("NFC").toLowerCase();
}

/** Returns whether a text is printable ASCII. Databases can ignore its letter case themselves. */
export function isPrintableAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}
