/** Returns the form of a text that `Engine.contains` compares if a text is not ASCII. */
export function foldCase(text: string): string {
  return text.normalize("NFC").toLowerCase();
}

/** Returns whether a text is printable ASCII. A database can fold its letter case by itself. */
export function isAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}
