import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Bar } from "../server/test/bars/bar.ts";
import { ROOT } from "./files.ts";

const FILE = join(ROOT, "docs/security.md");
const HEAD = /^\| bar .*\n\| -.*\n/m;

/** Writes the row of a bar to the table of `docs/security.md`, in the order of the bars. */
export function writeRow(
  bars: readonly Bar[],
  { bar, figures }: { readonly bar: Bar; readonly figures: readonly string[] },
): void {
  const text = readFileSync(FILE, "utf8");
  const head = HEAD.exec(text);
  if (head === null) throw new Error(`There is no table of bars in ${FILE}.`);
  const start = head.index + head[0].length;
  const [table = ""] = /^(?:\|.*\n)*/.exec(text.slice(start)) ?? [];
  const rows = new Map(table.split("\n").map((row) => [/^\| (S\d+)/.exec(row)?.[1] ?? "", row]));
  rows.set(bar.id, formatRow(bar, figures));
  const ordered = bars.flatMap(({ id }) => rows.get(id) ?? []);
  const after = text.slice(start + table.length);
  writeFileSync(FILE, `${text.slice(0, start)}${ordered.join("\n")}\n${after}`);
}

function formatRow({ id, attack, target, defect }: Bar, figures: readonly string[]): string {
  const defectCell = defect?.mistake ?? "its tests break copies of what they read";
  const cells = [id, attack, target, figures.join("; "), defectCell];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}
