import type { CaseResult, ContenderResult } from "./evaluate.ts";
import { formatNumber } from "./table.ts";

const WIDTH = 760;
const LABEL_WIDTH = 250;
const FIGURE_WIDTH = 110;
const BAR_WIDTH_MAX = WIDTH - LABEL_WIDTH - FIGURE_WIDTH;
const ROW_HEIGHT = 24;
const TITLE_HEIGHT = 44;

/** Draws an SVG with a group of bars for each case that compares rates, in the reader's light or dark mode. */
export function drawChart(cases: readonly CaseResult[]): string {
  const compared = cases.filter(({ figure, contenders }) => {
    return figure === "perSecond" && contenders.length > 1;
  });
  let top = 0;
  const groups = compared.map((result) => {
    const group = drawGroup(result, top);
    top += TITLE_HEIGHT + result.contenders.length * ROW_HEIGHT;
    return group;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${top + 12}" role="img" aria-label="Rates that npm run bench measured">`,
    `<style>${STYLE}</style>`,
    ...groups,
    "</svg>",
    "",
  ].join("\n");
}

const STYLE = [
  "text{font:13px system-ui,sans-serif;fill:#1c1c1f}",
  ".head{font-weight:600}",
  ".figure{font-variant-numeric:tabular-nums}",
  "rect{fill:#b4b4bd}",
  ".ours{fill:#c2410c}",
  ".ceiling{fill:#d8d8de}",
  "@media (prefers-color-scheme:dark){text{fill:#ececef}rect{fill:#6b6b76}.ours{fill:#fb923c}.ceiling{fill:#46464f}}",
].join("");

function drawGroup({ name, what, unit, figure, contenders }: CaseResult, top: number): string {
  const readValue = ({ medians }: ContenderResult) => medians[figure] ?? 0;
  const highest = Math.max(...contenders.map(readValue));
  const rows = contenders.map((contender, index) => {
    const y = top + TITLE_HEIGHT + index * ROW_HEIGHT;
    const width = Math.max(1, (readValue(contender) / highest) * BAR_WIDTH_MAX).toFixed(1);
    const kind = contender.kind.replace(" ", "-");
    return [
      `<text x="${LABEL_WIDTH - 10}" y="${y + 14}" text-anchor="end">${escape(contender.name)}</text>`,
      `<rect class="${kind}" x="${LABEL_WIDTH}" y="${y + 2}" width="${width}" height="16" rx="3"/>`,
      `<text class="figure" x="${LABEL_WIDTH + Number(width) + 8}" y="${y + 14}">${formatNumber(readValue(contender))}</text>`,
    ].join("");
  });
  const title = `${name}: ${what} (${unit})`;
  return [`<text class="head" x="0" y="${top + 30}">${escape(title)}</text>`, ...rows].join("\n");
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
