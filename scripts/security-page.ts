import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Bar } from "../server/test/attacks/bar.ts";
import { ROOT } from "./files.ts";

const PAGE_PATH = join(ROOT, "docs/security.md");
const TABLE_HEAD_PATTERN = /^\| bar .*\n\| -.*\n/m;

/** Writes the row of a bar to the table of `docs/security.md`, in the order of the bars. */
export function writeBarRow(
  bars: readonly Bar[],
  { bar, figures }: { readonly bar: Bar; readonly figures: readonly string[] },
): void {
  const text = readFileSync(PAGE_PATH, "utf8");
  const head = TABLE_HEAD_PATTERN.exec(text);
  if (head === null) throw new Error(`There is no table of bars in ${PAGE_PATH}.`);
  const start = head.index + head[0].length;
  const [table = ""] = /^(?:\|.*\n)*/.exec(text.slice(start)) ?? [];
  const rows = new Map(table.split("\n").map((row) => [/^\| (S\d+)/.exec(row)?.[1] ?? "", row]));
  rows.set(bar.id, formatRow(bar, figures));
  const orderedRows = bars.flatMap(({ id }) => rows.get(id) ?? []);
  const textAfter = text.slice(start + table.length);
  writeFileSync(PAGE_PATH, `${text.slice(0, start)}${orderedRows.join("\n")}\n${textAfter}`);
}

function formatRow({ id, attack, target, defect }: Bar, figures: readonly string[]): string {
  const defectCell = defect?.mistake ?? "its tests break copies of what they read";
  const cells = [id, attack, target, figures.join("; "), defectCell];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}
