import type { Bar, BenchCase, Contender, Round } from "../case.ts";
import type { Measured } from "../measure.ts";

/** The result of a case, as in `results.json`. */
export interface CaseResult {
  readonly name: string;
  readonly what: string;
  readonly figure: string;
  readonly unit: string;
  readonly contenders: readonly ContenderResult[];
  readonly bars: readonly BarResult[];
}

export interface ContenderResult {
  readonly name: string;
  readonly kind: Contender["kind"];
  /** Of every figure. */
  readonly medians: Round;
  /** The case's own figure, round after round. */
  readonly rounds: readonly number[];
}

export interface BarResult extends Pick<Bar, "what" | "atLeast" | "atMost"> {
  readonly value: number;
  readonly unit: string;
  readonly holds: boolean;
}

/** Returns the medians of the measurements, and whether the bars hold. */
export function judge(bench: BenchCase, measured: readonly Measured[]): CaseResult {
  const { name, what, figure, unit } = bench;
  const contenders = measured.map(({ contender, rounds }) => ({
    name: contender.name,
    kind: contender.kind,
    medians: mediansOf(rounds),
    rounds: rounds.map((round) => round[figure] ?? Number.NaN),
  }));
  const bars = bench.bars.map((bar) => judgeBar(bar, { figure, measured }));
  return { name, what, figure, unit, contenders, bars };
}

function judgeBar(
  { what, of, to, figure, atLeast, atMost, unit }: Bar,
  given: { readonly figure: string; readonly measured: readonly Measured[] },
): BarResult {
  const roundsOf = (name: string): readonly number[] => {
    const found = given.measured.find(({ contender }) => contender.name === name);
    const values = found?.rounds.map((round) => round[figure ?? given.figure]) ?? [];
    return values.map((value) => {
      if (value === undefined) throw new Error(`"${what}" asks for what was not measured.`);
      return value;
    });
  };
  const [rounds, others] = [roundsOf(of), to === undefined ? null : roundsOf(to)];
  // Ratios of measurements made right after one another, since a machine may be slower for some rounds.
  const value = median(
    rounds.map((round, index) => (others === null ? round : round / (others[index] ?? Number.NaN))),
  );
  const holds = value >= (atLeast ?? -Infinity) && value <= (atMost ?? Infinity);
  return {
    what,
    value,
    unit: unit ?? (to === undefined ? "" : "times"),
    holds,
    ...(atLeast === undefined ? {} : { atLeast }),
    ...(atMost === undefined ? {} : { atMost }),
  };
}

function mediansOf(rounds: readonly Round[]): Round {
  const names = new Set(rounds.flatMap((round) => Object.keys(round)));
  return Object.fromEntries(
    [...names].map((name) => [name, median(rounds.map((round) => round[name] ?? Number.NaN))]),
  );
}

/** Returns the middle of some figures. */
export function median(figures: readonly number[]): number {
  const sorted = figures.toSorted((one, other) => one - other);
  const half = sorted.length >> 1;
  const [low = 0, high = 0] = [sorted[sorted.length % 2 === 1 ? half : half - 1], sorted[half]];
  return (low + high) / 2;
}
