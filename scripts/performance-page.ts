import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { drawChart } from "../server/bench/report/chart.ts";
import type { Results } from "../server/bench/report/results.ts";
import { formatTables } from "../server/bench/report/table.ts";
import { ROOT } from "./files.ts";

const PAGE = join(ROOT, "docs/performance.md");
const CHART = join(ROOT, "docs/performance.svg");
const BEGIN = "<!-- figures: made by npm run bench -- --write -->";
const END = "<!-- end of figures -->";

/** Writes the tables between the two markers of `docs/performance.md`, and the chart next to the page. */
export function writeFigures(results: Results): void {
  const page = readFileSync(PAGE, "utf8");
  const [start, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (start < 0 || end < start) throw new Error(`${PAGE} has no place for figures.`);
  const before = page.slice(0, start + BEGIN.length);
  writeFileSync(PAGE, `${before}\n\n${formatTables(results)}\n\n${page.slice(end)}`);
  writeFileSync(CHART, drawChart(results.cases));
}
