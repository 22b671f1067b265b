import type { CaseResult, ContenderResult } from "./judge.ts";
import { inWords } from "./table.ts";

const WIDTH = 760;
const LABEL_WIDTH = 250;
const FIGURE_WIDTH = 110;
const BAR_MAX = WIDTH - LABEL_WIDTH - FIGURE_WIDTH;
const ROW = 24;
const HEAD = 44;

/** Returns an SVG with a group of bars for each case that compares rates; it follows the reader's light or dark mode. */
export function chartOf(cases: readonly CaseResult[]): string {
  const compared = cases.filter(({ figure, contenders }) => {
    return figure === "perSecond" && contenders.length > 1;
  });
  let top = 0;
  const groups = compared.map((result) => {
    const group = groupOf(result, top);
    top += HEAD + result.contenders.length * ROW;
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

function groupOf({ name, what, unit, figure, contenders }: CaseResult, top: number): string {
  const valueOf = ({ medians }: ContenderResult) => medians[figure] ?? 0;
  const most = Math.max(...contenders.map(valueOf));
  const rows = contenders.map((contender, index) => {
    const y = top + HEAD + index * ROW;
    const width = Math.max(1, (valueOf(contender) / most) * BAR_MAX).toFixed(1);
    const kind = contender.kind.replace(" ", "-");
    return [
      `<text x="${LABEL_WIDTH - 10}" y="${y + 14}" text-anchor="end">${escape(contender.name)}</text>`,
      `<rect class="${kind}" x="${LABEL_WIDTH}" y="${y + 2}" width="${width}" height="16" rx="3"/>`,
      `<text class="figure" x="${LABEL_WIDTH + Number(width) + 8}" y="${y + 14}">${inWords(valueOf(contender))}</text>`,
    ].join("");
  });
  const head = `${name}: ${what} (${unit})`;
  return [`<text class="head" x="0" y="${top + 30}">${escape(head)}</text>`, ...rows].join("\n");
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
