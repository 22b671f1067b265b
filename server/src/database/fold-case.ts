/** Returns a text in the form in which `Engine.contains` compares texts beyond ASCII. */
export function foldCase(text: string): string {
  return text.normalize("NFC").toLowerCase();
}

/** Returns whether a text is printable ASCII, whose letter case a database folds by itself. */
export function isAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}
