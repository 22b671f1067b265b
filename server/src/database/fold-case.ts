/** Returns a text in the one form in which `Engine.contains` compares what is not ASCII alone. */
export function foldCase(text: string): string {
  return text.normalize("NFC").toLowerCase();
}

/** Returns whether a text is printable ASCII, whose letter case a database folds by itself. */
export function isAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}
