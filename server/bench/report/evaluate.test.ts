import assert from "node:assert/strict";
import test from "node:test";
import type { Bar, BenchCase, Contender } from "../case.ts";
import { evaluate } from "./evaluate.ts";

function createContender(name: string, kind: Contender["kind"]): Contender {
  return { name, kind, module: "any" };
}

function createBenchCase(bars: readonly Bar[]): BenchCase {
  const contenders = [createContender("ours", "ours"), createContender("theirs", "peer")];
  const start = async () => ({});
  return {
    name: "X1",
    title: "any work",
    figure: "perSecond",
    unit: "a second",
    contenders,
    start,
    bars,
  };
}

/** Ours is three times as fast as theirs in each round; the machine is slower in some rounds. */
const MEASURED = [
  { contender: createContender("ours", "ours"), rounds: [300, 120, 330, 90].map(createRound) },
  { contender: createContender("theirs", "peer"), rounds: [100, 40, 110, 30].map(createRound) },
];

function createRound(perSecond: number) {
  return { perSecond, p99Ms: 1_000 / perSecond };
}

test("a ratio is the median over paired rounds, and a figure is the median of its rounds", () => {
  const { bars, contenders } = evaluate(
    createBenchCase([
      { label: "faster", contender: "ours", baseline: "theirs", atLeast: 3 },
      { label: "soon", contender: "ours", figure: "p99Ms", atMost: 5, unit: "ms" },
    ]),
    MEASURED,
  );
  assert.deepEqual(
    bars.map(({ value, unit, holds }) => [Math.round(value * 100) / 100, unit, holds]),
    [
      [3, "times", true],
      [5.83, "ms", false],
    ],
  );
  assert.deepEqual(
    contenders.map(({ medians }) => medians["perSecond"]),
    [210, 70],
  );
});

test("a bar about a missing figure throws", () => {
  const bars = [{ label: "small", contender: "ours", figure: "residentMb", atMost: 1 }];
  assert.throws(
    () => evaluate(createBenchCase(bars), MEASURED),
    /"small" needs a figure that was not measured/,
  );
});
