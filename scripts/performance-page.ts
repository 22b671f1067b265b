import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { drawChart } from "../server/bench/report/chart.ts";
import type { Results } from "../server/bench/report/results.ts";
import { formatTables } from "../server/bench/report/table.ts";
import { ROOT } from "./files.ts";

const PAGE_PATH = join(ROOT, "docs/performance.md");
const CHART_PATH = join(ROOT, "docs/performance.svg");
const BEGIN_MARKER = "<!-- figures: made by npm run bench -- --write -->";
const END_MARKER = "<!-- end of figures -->";

/** Writes the tables between the two markers of `docs/performance.md`, and the chart next to the page. */
export function writeFigures(results: Results): void {
  const page = readFileSync(PAGE_PATH, "utf8");
  const start = page.indexOf(BEGIN_MARKER);
  const end = page.indexOf(END_MARKER);
  if (start < 0 || end < start) throw new Error(`${PAGE_PATH} has no markers for figures.`);
  const textBefore = page.slice(0, start + BEGIN_MARKER.length);
  writeFileSync(PAGE_PATH, `${textBefore}\n\n${formatTables(results)}\n\n${page.slice(end)}`);
  writeFileSync(CHART_PATH, drawChart(results.cases));
}
