/**
 * Returns the same string for all texts that look the same to people: texts that differ only in letter case, width,
 * spaces and invisible characters. It is for comparisons, not for display.
 */
export function toLook(text: string): string {
  return text
    .normalize("NFKD")
    .replaceAll(INVISIBLE_PATTERN, "")
    .toLowerCase()
    .normalize("NFKD")
    .replaceAll(/\s/g, "");
}

/** U+2800 is the empty pattern of Braille, which shows nothing, although Unicode calls it a symbol. */
const INVISIBLE_PATTERN = /[\p{Default_Ignorable_Code_Point}\u2800]/gu;
