import type { BarResult, CaseResult, ContenderResult } from "./evaluate.ts";
import type { Results } from "./results.ts";

/** Formats all results as Markdown: the bars, and then the figures of every contender. */
export function formatTables({ cases }: Results): string {
  return [formatBars(cases), ...cases.map(formatContenders), formatMachines({ cases })].join(
    "\n\n",
  );
}

function formatBars(cases: readonly CaseResult[]): string {
  const rows = cases.flatMap(({ name, bars }) =>
    bars.map((bar) => `| ${name} | ${bar.label} | ${formatValue(bar)} | ${formatLimit(bar)} |`),
  );
  return ["| | condition | measured | bar |", "| --- | --- | --- | --- |", ...rows].join("\n");
}

/** Formats the value of a bar. */
export function formatValue({ value, unit, holds }: BarResult): string {
  const text =
    unit === "times" ? `${value.toFixed(2)} times` : `${formatNumber(value)} ${unit}`.trim();
  return holds ? `**${text}**` : `${text}, **not met**`;
}

/** Formats the limit of a bar. */
export function formatLimit({ atLeast, atMost, unit }: BarResult): string {
  const [sign, limit] = atLeast === undefined ? ["≤", atMost] : ["≥", atLeast];
  return `${sign} ${limit} ${unit}`.trim();
}

function formatContenders({ name, title, unit, contenders }: CaseResult): string {
  const figures = [...new Set(contenders.flatMap(({ medians }) => Object.keys(medians)))].filter(
    (figure) => figure !== "stolenPercent",
  );
  const header = ["", "", ...figures.map(formatFigureName)];
  const rows = contenders.map(({ kind, medians, ...contender }) => [
    formatContenderName(contender),
    kind,
    ...figures.map((figure) =>
      medians[figure] === undefined ? "" : formatNumber(medians[figure]),
    ),
  ]);
  const lines = [header, header.map((_, index) => (index < 2 ? "---" : "--:")), ...rows];
  const table = lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
  return `### ${name}: ${title}\n\nMedians, in ${unit}.\n\n${table}`;
}

/** Formats the name of a contender, with the version of another project's server. */
function formatContenderName({ name, version }: Pick<ContenderResult, "name" | "version">): string {
  return version === undefined ? name : `${name} ${version}`;
}

/** Formats the name of a figure: `p99Ms` becomes "p99, ms". */
function formatFigureName(figure: string): string {
  const words = figure.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).split(" ");
  const unit = UNITS[words.at(-1) ?? ""];
  if (unit === undefined || words.length === 1) return words.join(" ");
  return `${words.slice(0, -1).join(" ")}, ${unit}`;
}

const UNITS: Readonly<Record<string, string>> = { us: "µs", ms: "ms", mb: "MB", percent: "%" };

/** Formats a number with its significant digits. */
export function formatNumber(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString("en");
  return String(Number(value.toPrecision(3)));
}

function formatMachines({ cases }: Results): string {
  const machines = new Set(
    cases.map(({ machine: { processor, cores, memoryGb, node, date } }) => {
      return `${date}, ${cores} cores of ${processor}, ${memoryGb} GB, Node ${node}`;
    }),
  );
  return `Measured on: ${[...machines].join("; ")}.`;
}

/** Formats a line for each contender and each bar, for a terminal. */
export function formatLines({
  name,
  unit,
  figure,
  contenders,
  bars,
}: CaseResult): readonly string[] {
  const formatMedian = ({ medians }: ContenderResult) =>
    formatNumber(medians[figure] ?? Number.NaN);
  return [
    ...contenders.map(
      (contender) =>
        `${name} ${formatContenderName(contender)} (${contender.kind}): ${formatMedian(contender)} ${unit}`,
    ),
    ...bars.map((bar) => {
      const status = bar.holds ? "ok " : "NOT MET";
      return `${status} ${bar.label}: ${formatNumber(bar.value)} ${bar.unit}; the bar is ${formatLimit(bar)}`;
    }),
  ];
}
