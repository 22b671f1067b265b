import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, totalmem } from "node:os";
import { join } from "node:path";
import type { CaseResult } from "./evaluate.ts";

const RESULTS_PATH = join(import.meta.dirname, "../results.json");

/** The content of `results.json`: the latest result of every case, and its machine. */
export interface Results {
  readonly cases: readonly (CaseResult & { readonly machine: Machine })[];
}

/** The machine and the day of a measurement. */
export interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly node: string;
  /** The day, as in `2026-11-20`. */
  readonly date: string;
}

/** Returns the stored results; an empty list if there is no file. */
export function readResults(): Results {
  if (!existsSync(RESULTS_PATH)) return { cases: [] };
  return JSON.parse(readFileSync(RESULTS_PATH, "utf8")) as Results; // `writeResults` writes this format.
}

/** Replaces earlier results of the same cases, and stores all in the order of `names`. */
export function writeResults(measured: readonly CaseResult[], names: readonly string[]): Results {
  const machine = describeMachine();
  const resultsByName = new Map(readResults().cases.map((result) => [result.name, result]));
  for (const result of measured) resultsByName.set(result.name, { ...result, machine });
  const cases = names.flatMap((name) => resultsByName.get(name) ?? []);
  const results = { cases };
  writeFileSync(RESULTS_PATH, `${JSON.stringify(results, roundNumber, 2)}\n`);
  return results;
}

function describeMachine(): Machine {
  return {
    processor: cpus()[0]?.model ?? "unknown",
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    date: new Date().toISOString().slice(0, 10),
  };
}

/** Rounds to four digits, because more are not reproducible. */
function roundNumber(_name: string, value: unknown): unknown {
  return typeof value === "number" ? Number(value.toPrecision(4)) : value;
}
