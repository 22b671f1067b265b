import type { CaseResult, ContenderResult } from "./evaluate.ts";
import { formatNumber } from "./table.ts";

const CHART_WIDTH = 760;
const LABEL_WIDTH = 250;
const FIGURE_WIDTH = 110;
const BAR_WIDTH_MAX = CHART_WIDTH - LABEL_WIDTH - FIGURE_WIDTH;
const ROW_HEIGHT = 24;
const TITLE_HEIGHT = 44;

/**
 * Returns an SVG with a group of bars for each case that compares rates. It follows the reader's light or dark mode.
 */
export function drawChart(cases: readonly CaseResult[]): string {
  const comparedCases = cases.filter(({ figure, contenders }) => {
    return figure === "perSecond" && contenders.length > 1;
  });
  let top = 0;
  const groups = comparedCases.map((result) => {
    const group = drawGroup(result, top);
    top += TITLE_HEIGHT + result.contenders.length * ROW_HEIGHT;
    return group;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${CHART_WIDTH} ${top + 12}" role="img" aria-label="Rates that npm run bench measured">`,
    `<style>${CHART_STYLE}</style>`,
    ...groups,
    "</svg>",
    "",
  ].join("\n");
}

const CHART_STYLE = [
  "text{font:13px system-ui,sans-serif;fill:#1c1c1f}",
  ".head{font-weight:600}",
  ".figure{font-variant-numeric:tabular-nums}",
  "rect{fill:#b4b4bd}",
  ".ours{fill:#c2410c}",
  ".reference{fill:#d8d8de}",
  "@media (prefers-color-scheme:dark){text{fill:#ececef}rect{fill:#6b6b76}.ours{fill:#fb923c}.reference{fill:#46464f}}",
].join("");

function drawGroup({ name, title, unit, figure, contenders }: CaseResult, topY: number): string {
  const getMedian = ({ medians }: ContenderResult) => medians[figure] ?? 0;
  const highestMedian = Math.max(...contenders.map(getMedian));
  const rows = contenders.map((contender, index) => {
    const y = topY + TITLE_HEIGHT + index * ROW_HEIGHT;
    const width = Math.max(1, (getMedian(contender) / highestMedian) * BAR_WIDTH_MAX).toFixed(1);
    return [
      `<text x="${LABEL_WIDTH - 10}" y="${y + 14}" text-anchor="end">${escapeXml(contender.name)}</text>`,
      `<rect class="${contender.kind}" x="${LABEL_WIDTH}" y="${y + 2}" width="${width}" height="16" rx="3"/>`,
      `<text class="figure" x="${LABEL_WIDTH + Number(width) + 8}" y="${y + 14}">${formatNumber(getMedian(contender))}</text>`,
    ].join("");
  });
  const heading = `${name}: ${title} (${unit})`;
  return [`<text class="head" x="0" y="${topY + 30}">${escapeXml(heading)}</text>`, ...rows].join(
    "\n",
  );
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
