import type { BarResult, CaseResult, ContenderResult } from "./judge.ts";
import type { Results } from "./results.ts";

/** Returns the Markdown of all results: the bars, then the figures of every contender. */
export function tablesOf({ cases }: Results): string {
  return [barTable(cases), ...cases.map(contenderTable), places({ cases })].join("\n\n");
}

function barTable(cases: readonly CaseResult[]): string {
  const rows = cases.flatMap(({ name, bars }) =>
    bars.map((bar) => `| ${name} | ${bar.what} | ${valueInWords(bar)} | ${limitInWords(bar)} |`),
  );
  return ["| | what | measured | bar |", "| --- | --- | --- | --- |", ...rows].join("\n");
}

/** Returns the value of a bar for people. */
export function valueInWords({ value, unit, holds }: BarResult): string {
  const text = unit === "times" ? `${value.toFixed(2)} times` : `${inWords(value)} ${unit}`.trim();
  return holds ? `**${text}**` : `${text}, **not met**`;
}

/** Returns the limit of a bar. */
export function limitInWords({ atLeast, atMost, unit }: BarResult): string {
  const [sign, limit] = atLeast === undefined ? ["≤", atMost] : ["≥", atLeast];
  return `${sign} ${limit} ${unit}`.trim();
}

function contenderTable({ name, what, unit, contenders }: CaseResult): string {
  const figures = [...new Set(contenders.flatMap(({ medians }) => Object.keys(medians)))].filter(
    (figure) => figure !== "stolenPercent",
  );
  const head = ["", "", ...figures.map(headOf)];
  const rows = contenders.map(({ name: who, kind, medians }) => [
    who,
    kind,
    ...figures.map((figure) => (medians[figure] === undefined ? "" : inWords(medians[figure]))),
  ]);
  const lines = [head, head.map((_, index) => (index < 2 ? "---" : "--:")), ...rows];
  const table = lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
  return `### ${name}: ${what}\n\nMedians, in ${unit}.\n\n${table}`;
}

/** `p99Ms` becomes "p99, ms". */
function headOf(figure: string): string {
  const words = figure.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).split(" ");
  const unit = UNITS[words.at(-1) ?? ""];
  if (unit === undefined || words.length === 1) return words.join(" ");
  return `${words.slice(0, -1).join(" ")}, ${unit}`;
}

const UNITS: Readonly<Record<string, string>> = { us: "µs", ms: "ms", mb: "MB", percent: "%" };

/** Returns a number with only its significant digits. */
export function inWords(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString("en");
  return String(Number(value.toPrecision(3)));
}

function places({ cases }: Results): string {
  const machines = new Set(
    cases.map(({ machine: { processor, cores, memoryGb, node, date } }) => {
      return `${date}, ${cores} cores of ${processor}, ${memoryGb} GB, Node ${node}`;
    }),
  );
  return `Measured on: ${[...machines].join("; ")}.`;
}

/** Returns a line for each contender and each bar, for a terminal. */
export function linesOf({ name, unit, figure, contenders, bars }: CaseResult): readonly string[] {
  const median = ({ medians }: ContenderResult) => inWords(medians[figure] ?? Number.NaN);
  return [
    ...contenders.map((each) => `${name} ${each.name} (${each.kind}): ${median(each)} ${unit}`),
    ...bars.map((bar) => {
      const sign = bar.holds ? "ok " : "NOT MET";
      return `${sign} ${bar.what}: ${inWords(bar.value)} ${bar.unit}; the bar is ${limitInWords(bar)}`;
    }),
  ];
}
