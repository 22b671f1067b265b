import type { Style, Terminal } from "./terminal.ts";

/** A cell: text for people, with a style if the terminal shows styles. */
export interface Cell {
  readonly text: string;
  readonly style?: Style;
}

const GAP = "  ";

/**
 * Prints rows below their headings, in columns as wide as their widest cell. On a terminal the last column is cut at
 * the end of the line, but not to less than 20 characters; a pipe gets all of it. Cells contain no line breaks.
 */
export function printTable(
  { print, style, columns }: Pick<Terminal, "print" | "style" | "columns">,
  { headings, rows }: { readonly headings: readonly string[]; readonly rows: readonly Row[] },
): void {
  const head = headings.map((text): Cell => ({ text, style: "dim" }));
  const widths = headings.map((_, index) => {
    return Math.max(...[head, ...rows].map((row) => widthOf(row[index]?.text ?? "")));
  });
  const fixed = widths.slice(0, -1).reduce((sum, width) => sum + width + GAP.length, 0);
  const lastMax = columns === null ? null : Math.max(LAST_LEAST, columns - fixed);
  for (const row of [head, ...rows]) {
    const cells = row.map(({ text, style: name }, index) => {
      const isLast = index === row.length - 1;
      const shown = isLast && lastMax !== null ? cut(text, lastMax) : text;
      const padding = isLast ? "" : " ".repeat((widths[index] ?? 0) - widthOf(shown));
      return (name === undefined ? shown : style(name, shown)) + padding;
    });
    print(cells.join(GAP).trimEnd());
  }
}

/** Cells in the order of the headings. */
export type Row = readonly Cell[];

const LAST_LEAST = 20;

/** Returns text of at most so many columns, cut between characters as people count them. */
export function cut(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let kept = "";
  let width = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    width += columnsOf(segment);
    if (width > columns - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

function widthOf(text: string): number {
  // In most texts each character has one column.
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) width += columnsOf(segment);
  return width;
}

/** Terminals use two columns for wide East Asian characters, and for emoji (Unicode Standard Annex 11). */
const WIDE =
  /\p{Emoji_Presentation}|\uFE0F|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303E\uFF01-\uFF60\uFFE0-\uFFE6]/u;

function columnsOf(character: string): number {
  return WIDE.test(character) ? 2 : 1;
}
