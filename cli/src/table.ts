import type { Style, Terminal } from "./terminal.ts";

/** A cell of a table: text, with an optional style. */
export interface Cell {
  readonly text: string;
  readonly style?: Style;
}

const COLUMN_GAP = "  ";

/** The contents of a table. */
export interface Table {
  readonly headings: readonly string[];
  readonly rows: readonly Row[];
  /** If true, a terminal truncates the last column. An id must stay whole, because other commands need it. */
  readonly isLastTruncated?: boolean;
}

/**
 * Prints rows below their headings, in columns as wide as their widest cell. If `isLastTruncated` is set, the last
 * column is truncated at the edge of a terminal, but keeps at least `LAST_COLUMN_MIN`; a pipe gets the whole text.
 * Cells must not contain line breaks.
 */
export function printTable(
  { print, style, columns }: Pick<Terminal, "print" | "style" | "columns">,
  { headings, rows, isLastTruncated = false }: Table,
): void {
  const headingRow = headings.map((text): Cell => ({ text, style: "dim" }));
  const widths = headings.map((_, index) => {
    return Math.max(...[headingRow, ...rows].map((row) => getWidth(row[index]?.text ?? "")));
  });
  const otherWidth = widths.slice(0, -1).reduce((sum, width) => sum + width + COLUMN_GAP.length, 0);
  const lastColumnMax =
    columns === null || !isLastTruncated ? null : Math.max(LAST_COLUMN_MIN, columns - otherWidth);
  for (const row of [headingRow, ...rows]) {
    const cells = row.map(({ text, style: cellStyle }, index) => {
      const isLast = index === row.length - 1;
      const visibleText = isLast && lastColumnMax !== null ? truncate(text, lastColumnMax) : text;
      const padding = isLast ? "" : " ".repeat((widths[index] ?? 0) - getWidth(visibleText));
      return (cellStyle === undefined ? visibleText : style(cellStyle, visibleText)) + padding;
    });
    print(cells.join(COLUMN_GAP).trimEnd());
  }
}

/** Cells in the order of the headings. */
export type Row = readonly Cell[];

const LAST_COLUMN_MIN = 20;

/** Truncates text to a number of columns, between grapheme clusters. */
export function truncate(text: string, columns: number): string {
  if (getWidth(text) <= columns) return text;
  let truncated = "";
  let width = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    width += countColumns(segment);
    if (width > columns - 1) break;
    truncated += segment;
  }
  return `${truncated}…`;
}

function getWidth(text: string): number {
  // Each printable ASCII character has one column.
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) width += countColumns(segment);
  return width;
}

/** Wide East Asian characters and emoji, which take two columns on a terminal (Unicode Standard Annex 11). */
const WIDE_CHARACTER =
  /\p{Emoji_Presentation}|\uFE0F|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303E\uFF01-\uFF60\uFFE0-\uFFE6]/u;

function countColumns(character: string): number {
  return WIDE_CHARACTER.test(character) ? 2 : 1;
}
