// npm run bench                       measures every case: Tocsin, references and peers, in turn
// npm run bench -- NAME…              measures only these cases
// npm run bench -- --rounds=N         measures N rounds; 5 by default
// npm run bench -- --seconds=N        measures N seconds in each round; 4 by default
// npm run bench -- --peers=DIR        also measures the servers of other projects whose binaries are in this folder:
//                                     ntfy, gotify or gotify-server, gorush, bark-server
// npm run bench -- --write            also writes the figures to server/bench/results.json, docs/performance.md and its chart;
//                                     run npm run format afterwards
// npm run bench -- --json             also prints the results as JSON
//
// Exits with 0 if every bar is met.
import type { BenchCase } from "../server/bench/case.ts";
import { CASES } from "../server/bench/cases.ts";
import { measure } from "../server/bench/measure.ts";
import { findPrograms } from "../server/bench/programs/find-programs.ts";
import { findFixedPushHostProblem } from "../server/bench/programs/push-hosts.ts";
import {
  listPrograms,
  selectContenders,
  type AvailablePrograms,
} from "../server/bench/programs/select-contenders.ts";
import { evaluate, type CaseResult } from "../server/bench/report/evaluate.ts";
import { writeResults } from "../server/bench/report/results.ts";
import { formatLines } from "../server/bench/report/table.ts";
import { buildMissing } from "./builds.mjs";
import { ROOT } from "./files.ts";
import { findFlagValue, findUnknownFlag, parseCountFlag } from "./flags.ts";
import { writeFigures } from "./performance-page.ts";

const CASE_NAMES = CASES.map(({ name }) => name);
const WARM_UP_MS = 1_500;
/** The share of stolen CPU time above which a round says more about other machines on the same host than about Tocsin. */
const STOLEN_NOTED_PERCENT = 5;

const args = process.argv.slice(2);
const names = args.filter((arg) => !arg.startsWith("-")).map((name) => name.toUpperCase());
const unknownFlag = findUnknownFlag(args, ["rounds", "seconds", "peers", "write", "json"]);
const unknownName = names.find((name) => !CASE_NAMES.includes(name));
if (unknownFlag !== undefined)
  fail(
    `There is no flag ${unknownFlag}. The flags are --rounds=N, --seconds=N, --peers=DIR, --write and --json.`,
  );
else if (unknownName === undefined) await runAll();
else fail(`There is no case ${unknownName}. The cases are ${CASE_NAMES.join(", ")}.`);

async function runAll(): Promise<void> {
  const rounds = parseCountFlag("rounds", { args, fallback: 5 });
  const seconds = parseCountFlag("seconds", { args, fallback: 4 });
  if (rounds === null || seconds === null) {
    fail("--rounds and --seconds take a number above 0.");
    return;
  }
  // Without npm, nothing else builds what some of the cases measure.
  await buildMissing(ROOT);
  const available = await findAvailable(findFlagValue("peers", args));
  const results: CaseResult[] = [];
  for (const benchCase of CASES.filter(({ name }) => names.length === 0 || names.includes(name))) {
    const result = await runCase(benchCase, { rounds, seconds, available });
    results.push(result);
    // Written after each case, because all cases take long and one may fail.
    if (args.includes("--write")) writeFigures(writeResults([result], CASE_NAMES));
  }
  if (args.includes("--json")) console.log(JSON.stringify(results));
  if (results.some(({ bars }) => bars.some(({ holds }) => !holds))) process.exitCode = 1;
}

/** Finds the servers of other projects in a folder, and prints which of them are measured. */
async function findAvailable(folder: string | undefined): Promise<AvailablePrograms> {
  if (folder === undefined) return { found: [], fixedPushHostProblem: null };
  const { found, missing } = findPrograms(folder);
  for (const { name, version, path } of found) console.error(`${name} ${version}: ${path}`);
  for (const { name, reason } of missing) console.error(`${name} is not measured: ${reason}.`);
  const fixedPushHostProblem = await findFixedPushHostProblem();
  if (fixedPushHostProblem !== null)
    console.error(`gorush and Bark are not measured in P1 and P2: ${fixedPushHostProblem}.`);
  return { found, fixedPushHostProblem };
}

interface CaseOptions {
  readonly rounds: number;
  readonly seconds: number;
  readonly available: AvailablePrograms;
}

async function runCase(
  fullCase: BenchCase,
  { rounds, seconds, available }: CaseOptions,
): Promise<CaseResult> {
  const benchCase = selectContenders(fullCase, available);
  console.error(`${benchCase.name}: ${benchCase.title}`);
  const measurements = await measure(benchCase, {
    roundCount: benchCase.rounds ?? rounds,
    durations: { warmUpMs: WARM_UP_MS, measuredMs: seconds * 1_000 },
    programs: listPrograms(benchCase, available),
    onRound: ({ name }, round) => {
      const figures = Object.entries(round).filter(
        ([figure, value]) => figure !== "stolenPercent" || value > STOLEN_NOTED_PERCENT,
      );
      const formatted = figures.map(([figure, value]) => `${figure} ${value.toPrecision(4)}`);
      console.error(`  ${name}: ${formatted.join(", ")}`);
    },
  });
  const result = evaluate(benchCase, measurements);
  for (const line of formatLines(result)) console.log(line);
  return result;
}

function fail(message: string): void {
  console.error(message);
  process.exitCode = 2;
}
