import { availableParallelism } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT } from "./files.ts";

/** A kind of test files, and the limits of its runs. */
export interface Kind {
  readonly suffix: string;
  readonly concurrency: number;
  /** The time limit of one test. */
  readonly testTimeoutMs: number;
  /** The time limit of the whole run; the runner then names the unfinished files. */
  readonly runTimeoutMs: number;
  /** Node options for every process, including processes that tests start. */
  readonly nodeOptions?: string;
}

/** Everything that `npm test` runs. */
export const TESTS: Kind = {
  suffix: ".test.ts",
  // Two more than the machine has cores, because test files also wait for the disk, for timers and for each other.
  concurrency: availableParallelism() + 2,
  testTimeoutMs: 3 * 60_000,
  runTimeoutMs: 40 * 60_000,
  nodeOptions: ["server/test/support/quick-passwords.ts", "scripts/unobserved-tests.mjs"]
    .map((module) => `--import=${pathToFileURL(join(ROOT, module)).href}`)
    .join(" "),
};

/** Each file kills processes or takes resources from them, and checks the consequences and their times. */
export const FAULTS: Kind = { ...TESTS, suffix: ".fault.ts", concurrency: availableParallelism() };

/** Each file loads the server heavily and checks times. */
export const ATTACKS: Kind = {
  ...TESTS,
  suffix: ".attack.ts",
  concurrency: availableParallelism(),
};

/** Each test starts several apps. With many concurrent tests, connecting to the database would take too long. */
export const ON_NODES: Kind = {
  ...TESTS,
  concurrency: availableParallelism(),
  testTimeoutMs: 10 * 60_000,
  runTimeoutMs: 60 * 60_000,
};

/** Browsers compete for the CPU. At least two run, because each waits half of the time. */
export const JOURNEYS: Kind = {
  suffix: ".journey.ts",
  concurrency: Math.max(2, Math.floor(availableParallelism() / 2)),
  testTimeoutMs: 10 * 60_000,
  runTimeoutMs: 40 * 60_000,
};

/** The limits for `--looks=all`, which checks four times as many views. */
export const ALL_LOOKS_LIMITS = { testTimeoutMs: 40 * 60_000, runTimeoutMs: 120 * 60_000 };

/** Each file loads the whole machine and checks times. */
export const CAMPAIGNS: Kind = { ...JOURNEYS, suffix: ".campaigns.ts", runTimeoutMs: 40 * 60_000 };
