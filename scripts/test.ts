// npm test [-- PATH… --test-name-pattern=…]       the tests, or those below the paths
// npm run journeys [-- PATH… …]                   the stories that drive real browsers
import { availableParallelism } from "node:os";
import { relative, sep } from "node:path";
import { missingBrowsers } from "./browsers.ts";
import { endLike, run } from "./child.mjs";
import { ROOT, sourceFiles } from "./files.ts";

interface Kind {
  readonly suffix: string;
  readonly concurrency: number;
  /** One test may take this long. */
  readonly timeoutMs: number;
  /** All of them together; a file that never ends is then named by the runner. */
  readonly limitMs: number;
}

const TESTS: Kind = {
  suffix: ".test.ts",
  concurrency: Math.max(2, availableParallelism()),
  timeoutMs: 60_000,
  limitMs: 6 * 60_000,
};

const CORES_PER_JOURNEY = 4;

/** On a small machine one at a time: browsers starve each other. */
const JOURNEYS: Kind = {
  suffix: ".journey.ts",
  concurrency: Math.max(1, Math.floor(availableParallelism() / CORES_PER_JOURNEY)),
  timeoutMs: 180_000,
  limitMs: 14 * 60_000,
};

const [first, ...rest] = process.argv.slice(2);
if (first === "journeys") await runJourneys(rest);
else await runKind(TESTS, first === undefined ? [] : [first, ...rest]);

async function runJourneys(args: readonly string[]): Promise<void> {
  const missing = missingBrowsers();
  if (missing.length === 0) return runKind(JOURNEYS, args);
  fail(["The journeys drive real browsers.", ...missing].join("\n"));
}

async function runKind(kind: Kind, args: readonly string[]): Promise<void> {
  const paths = args.filter((arg) => !arg.startsWith("-"));
  const options = args.filter((arg) => arg.startsWith("-"));
  const all = sourceFiles().filter((file) => file.endsWith(kind.suffix));
  const empty = paths.find((path) => !all.some((file) => isBelow(file, path)));
  if (all.length === 0 || empty !== undefined) {
    fail(`There is no *${kind.suffix} in ${empty ?? "the repository"}.`);
    return;
  }
  const chosen = all.filter(
    (file) => paths.length === 0 || paths.some((path) => isBelow(file, path)),
  );
  await runFiles(kind, [...options, ...chosen]);
}

async function runFiles({ concurrency, timeoutMs, limitMs }: Kind, args: readonly string[]) {
  const flags = [
    "--test",
    "--test-reporter=spec",
    `--test-concurrency=${concurrency}`,
    `--test-timeout=${timeoutMs}`,
  ];
  const env = { ...process.env, NODE_OPTIONS: quiet(process.env["NODE_OPTIONS"]) };
  const ended = await run(process.execPath, [...flags, ...args], {
    cwd: ROOT,
    env,
    stdio: "inherit",
    timeout: limitMs,
    // On this signal the runner prints which tests it was waiting for, and its summary.
    killSignal: "SIGINT",
  });
  endLike(ended);
}

/** By the environment, so that processes which tests start are quiet as well. */
function quiet(options = ""): string {
  return `${options} --disable-warning=ExperimentalWarning`.trim();
}

function isBelow(file: string, path: string): boolean {
  const from = relative(ROOT, path).split(sep).join("/");
  return from === "" || file === from || file.startsWith(`${from}/`);
}

function fail(message: string): void {
  console.error(message);
  process.exitCode = 1;
}
