const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  apos: "'",
  gt: ">",
  lt: "<",
  nbsp: "\u00a0",
  quot: '"',
};

/** Returns the text of HTML as Pushover shows it: without its tags, with line breaks, and with characters for entities. */
export function toPlainText(html: string): string {
  return html
    .replaceAll(/<br\s*\/?>(?:\r?\n)?/gi, "\n")
    .replaceAll(/<\/?[a-z][^<>]*>/gi, "")
    .replaceAll(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,4}));/gi, decodeEntity);
}

function decodeEntity(entity: string, decimal?: string, hex?: string, name?: string): string {
  if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? entity;
  const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
  const isCharacter = code > 0 && code <= 0x10ffff;
  return isCharacter ? String.fromCodePoint(code).toWellFormed() : entity;
}
