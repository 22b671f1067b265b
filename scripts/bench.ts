// npm run bench                       every case
// npm run bench -- NAME…              some of them
// npm run bench -- --rounds=N         so often, interleaved; 5 if not given
// npm run bench -- --seconds=N        so long is counted in each round; 4 if not given
import type { BenchCase } from "../server/bench/case.ts";
import { d1 } from "../server/bench/cases/d1.ts";
import { measure, median, type Measured } from "../server/bench/measure.ts";

const CASES: readonly BenchCase[] = [d1];
const WARM_UP_MS = 1_500;

const args = process.argv.slice(2);
const names = args.filter((arg) => !arg.startsWith("-"));
const chosen = CASES.filter(({ name }) => names.length === 0 || names.includes(name));
for (const bench of chosen) report(bench, await run(bench));

async function run(bench: BenchCase): Promise<readonly Measured[]> {
  console.error(`${bench.name}: ${bench.what}`);
  return measure(bench, {
    rounds: numberOf("rounds", 5),
    span: { warmUpMs: WARM_UP_MS, countedMs: numberOf("seconds", 4) * 1_000 },
    onRound: ({ name }, { perSecond, cpuUs }) => {
      console.error(
        `  ${name}: ${Math.round(perSecond)} ${bench.unit}, ${cpuUs.toFixed(1)} us of processor each`,
      );
    },
  });
}

function report(bench: BenchCase, measured: readonly Measured[]): void {
  const medians = new Map(
    measured.map(({ contender, rounds }) => [
      contender.name,
      median(rounds.map((round) => round.perSecond)),
    ]),
  );
  for (const { contender } of measured) {
    const { name, kind } = contender;
    console.log(
      `${bench.name} ${name} (${kind}): ${Math.round(medians.get(name) ?? 0)} ${bench.unit}`,
    );
  }
  for (const { of, to, atLeast } of bench.bars) {
    const ratio = (medians.get(of) ?? 0) / (medians.get(to) ?? 1);
    console.log(`${of} is ${ratio.toFixed(2)} times ${to}; the bar is ${atLeast}.`);
  }
}

function numberOf(option: string, fallback: number): number {
  const given = args.find((arg) => arg.startsWith(`--${option}=`));
  return given === undefined ? fallback : Number(given.slice(option.length + 3));
}
