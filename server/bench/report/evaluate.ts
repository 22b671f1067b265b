import type { Bar, BenchCase, Contender, Round } from "../case.ts";
import type { ContenderRounds } from "../measure.ts";

/** The result of a case, as in `results.json`. */
export interface CaseResult {
  readonly name: string;
  readonly title: string;
  readonly figure: string;
  readonly unit: string;
  readonly contenders: readonly ContenderResult[];
  readonly bars: readonly BarResult[];
}

/** The figures of one contender over all rounds. */
export interface ContenderResult {
  readonly name: string;
  readonly kind: Contender["kind"];
  /** The version of another project's server. */
  readonly version?: string;
  /** Medians of every figure. */
  readonly medians: Round;
  /** The case's figure in each round. */
  readonly rounds: readonly number[];
}

/** The measured value of a bar, and whether it meets the limit. */
export interface BarResult extends Pick<Bar, "label" | "atLeast" | "atMost"> {
  readonly value: number;
  readonly unit: string;
  readonly holds: boolean;
}

/** Computes the medians of the measurements, and whether the bars hold. */
export function evaluate(benchCase: BenchCase, measured: readonly ContenderRounds[]): CaseResult {
  const { name, title, figure, unit } = benchCase;
  const contenders = measured.map(({ contender, rounds }) => ({
    name: contender.name,
    kind: contender.kind,
    ...(contender.version === undefined ? {} : { version: contender.version }),
    medians: computeMedians(rounds),
    rounds: rounds.map((round) => round[figure] ?? Number.NaN),
  }));
  const bars = benchCase.bars.map((bar) => evaluateBar(bar, { figure, measured }));
  return { name, title, figure, unit, contenders, bars };
}

function evaluateBar(
  { label, contender: contenderName, baseline: baselineName, figure, atLeast, atMost, unit }: Bar,
  results: { readonly figure: string; readonly measured: readonly ContenderRounds[] },
): BarResult {
  const readRounds = (name: string): readonly number[] => {
    const contenderResult = results.measured.find(({ contender }) => contender.name === name);
    const values = contenderResult?.rounds.map((round) => round[figure ?? results.figure]) ?? [];
    return values.map((value) => {
      if (value === undefined) throw new Error(`"${label}" needs a figure that was not measured.`);
      return value;
    });
  };
  const rounds = readRounds(contenderName);
  const baselineRounds = baselineName === undefined ? null : readRounds(baselineName);
  // Ratios of consecutive measurements, because a machine may be slower in some rounds.
  const value = computeMedian(
    rounds.map((round, index) =>
      baselineRounds === null ? round : round / (baselineRounds[index] ?? Number.NaN),
    ),
  );
  const holds = value >= (atLeast ?? -Infinity) && value <= (atMost ?? Infinity);
  return {
    label,
    value,
    unit: unit ?? (baselineName === undefined ? "" : "times"),
    holds,
    ...(atLeast === undefined ? {} : { atLeast }),
    ...(atMost === undefined ? {} : { atMost }),
  };
}

function computeMedians(rounds: readonly Round[]): Round {
  const names = new Set(rounds.flatMap((round) => Object.keys(round)));
  return Object.fromEntries(
    [...names].map((name) => [
      name,
      computeMedian(rounds.map((round) => round[name] ?? Number.NaN)),
    ]),
  );
}

/** Returns the median of figures; 0 if there are none. */
export function computeMedian(figures: readonly number[]): number {
  const sorted = figures.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const high = sorted[middle] ?? 0;
  const low = sorted.length % 2 === 1 ? high : (sorted[middle - 1] ?? 0);
  return (low + high) / 2;
}
