/** Returns a text in the one letter case in which `Engine.contains` compares on SQLite, which folds ASCII alone. */
export function foldCase(text: string): string {
  return text.normalize("NFC").toLowerCase();
}
