import { availableParallelism } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT } from "./files.ts";

/** A kind of test, and the limits of its runs. */
export interface TestKind {
  /** The end of the names of the files of this kind. */
  readonly suffix: string;
  readonly concurrency: number;
  /** The time limit of one test. */
  readonly testTimeoutMs: number;
  /** The time limit of the whole run. When it expires, the runner lists the unfinished tests. */
  readonly runTimeoutMs: number;
  /** Node options for every process, including processes that tests start. */
  readonly nodeOptions?: string;
}

/** The tests that `npm test` runs. */
export const TESTS: TestKind = {
  suffix: ".test.ts",
  // Two more than the number of cores, because test files also wait for the disk and for timers.
  concurrency: availableParallelism() + 2,
  testTimeoutMs: 3 * 60_000,
  runTimeoutMs: 40 * 60_000,
  nodeOptions: ["server/test/support/quick-passwords.ts", "scripts/unobserved-tests.mjs"]
    .map((module) => `--import=${pathToFileURL(join(ROOT, module)).href}`)
    .join(" "),
};

/** Each file kills processes or takes resources from them, and checks the consequences and their times. */
export const FAULTS: TestKind = {
  ...TESTS,
  suffix: ".fault.ts",
  concurrency: availableParallelism(),
};

/** Each file attacks the server, with hostile requests or with load. Some check times. */
export const ATTACKS: TestKind = {
  ...TESTS,
  suffix: ".attack.ts",
  concurrency: availableParallelism(),
};

/** Each test starts several apps. With many concurrent tests, connecting to the database would take too long. */
export const ON_NODES: TestKind = {
  ...TESTS,
  concurrency: availableParallelism(),
  testTimeoutMs: 10 * 60_000,
  runTimeoutMs: 60 * 60_000,
};

/** Each file drives browsers, which compete for the CPU. At least two files run, because each often waits. */
export const JOURNEYS: TestKind = {
  suffix: ".journey.ts",
  concurrency: Math.max(2, Math.floor(availableParallelism() / 2)),
  testTimeoutMs: 10 * 60_000,
  runTimeoutMs: 40 * 60_000,
};

/** The limits for `--looks=all`, which checks four times as many views. */
export const ALL_LOOKS_LIMITS = { testTimeoutMs: 40 * 60_000, runTimeoutMs: 120 * 60_000 };

/** Each file starts servers, or runs thousands of random sequences, for minutes. */
export const CAMPAIGNS: TestKind = {
  ...JOURNEYS,
  suffix: ".campaigns.ts",
  runTimeoutMs: 40 * 60_000,
};
