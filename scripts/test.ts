// npm test [-- PATH… --test-name-pattern=…]       runs all tests, or the tests below the paths: all on SQLite, then the tests that
//                                                 use a database on PostgreSQL (TOCSIN_TEST_DATABASE_URL, or a new cluster)
// npm test -- --on=sqlite                         runs them only on SQLite; --on=postgres only on PostgreSQL
// npm test -- --nodes=3 [PATH…]                   runs them on PostgreSQL; each app is three nodes behind a balancer, on one
//                                                 database with the schema of a later version
// npm test -- --behind=nginx [PATH…]              runs them on SQLite; requests pass through nginx with deploy/nginx.conf
// npm run journeys [-- PATH… …]                   runs the journeys, which drive real browsers
// npm run journeys -- server/test/journeys/look --looks=all
//                                                 checks every page in both languages and four widths, with screenshots
// npm run faults [-- PATH…]                       runs every *.fault.ts: killed processes, full disks, lost databases and large
//                                                 audiences, on SQLite and on PostgreSQL
// npm run attacks [-- PATH…]                      runs the short form of every attack, on SQLite and on PostgreSQL
// npm run campaigns [-- --test-name-pattern=…]    runs the short form of every campaign, and all random sequences of the queue
//
// A run of everything prints one line of progress, the failed tests and the runner's summary; a run of some files prints each test.
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, relative, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { missingBrowsers } from "./browsers.ts";
import { endLike, run } from "./child.mjs";
import { WITHOUT_DURABILITY, startCluster } from "../server/test/support/postgres-cluster.ts";
import { ROOT, sourceFiles } from "./files.ts";
import { valueOf } from "./flags.ts";
import { onPostgres } from "./on-postgres.ts";
import { quickFolder } from "./quick-folder.ts";
import { groupTests } from "./test-groups.ts";

interface Kind {
  readonly suffix: string;
  readonly concurrency: number;
  /** The time limit of one test. */
  readonly timeoutMs: number;
  /** The time limit of the whole run; the runner then names the unfinished files. */
  readonly limitMs: number;
  /** Node options for every process, including processes that tests start. */
  readonly nodeOptions?: string;
}

/** Read by `server/test/support/database.ts`. */
const SERVER_SETTING = "TOCSIN_TEST_DATABASE_URL";
/** Read by `server/test/support/several-nodes.ts`. */
const NODES_SETTING = "TOCSIN_TEST_NODES";
/** Read by `server/test/support/behind-nginx.ts`. */
const BEHIND_SETTING = "TOCSIN_TEST_BEHIND";
/** Read by `server/test/support/database.ts`. */
const LATER_SETTING = "TOCSIN_TEST_LATER_SCHEMA";
/** Read by `server/test/support/console-look.ts`. */
const LOOKS_SETTING = "TOCSIN_TEST_LOOKS";
/** Test files run concurrently, and each keeps some connections. */
const FLAGS = [...WITHOUT_DURABILITY, "-cmax_connections=500"];
/** Read by `server/test/support/temporary-folder.ts`. */
const FOLDER_SETTING = "TOCSIN_TEST_DATABASE_FOLDER";

const ON_SQLITE: NodeJS.ProcessEnv = { [SERVER_SETTING]: undefined };

const TESTS: Kind = {
  suffix: ".test.ts",
  // One more than the machine has cores, because test files also wait for the disk and for timers.
  concurrency: availableParallelism() + 1,
  timeoutMs: 3 * 60_000,
  limitMs: 40 * 60_000,
  nodeOptions: `--import=${pathToFileURL(join(ROOT, "server/test/support/quick-passwords.ts")).href}`,
};

/** Long tests that mostly wait; started last, they would prolong the run. */
const FIRST = ["server/test/journeys/poison.fault.ts"];

/** Options of this script, not passed on to Node's test runner. */
const OWN_OPTIONS = ["--on=", "--nodes=", "--behind=", "--looks="];

const ANY_TEST = /\.(?:test|fault|attack|journey|campaigns)\.ts$/u;

const EACH_TEST = "spec";
const PROGRESS = pathToFileURL(join(ROOT, "scripts/test-progress.ts")).href;

/** The maximum number of test files per process. They share its loaded modules; larger groups would leave cores idle at the end. */
const GROUP_MAX = 24;
/** Smaller groups would cost more time for processes than they save. */
const GROUP_MIN = 6;
const GROUPS = join(ROOT, "node_modules", ".cache", "tests", "groups");

/** Each file kills processes or takes resources from them, and checks the consequences and their times. */
const FAULTS: Kind = { ...TESTS, suffix: ".fault.ts", concurrency: availableParallelism() };

/** Each file loads the server heavily and checks times. */
const ATTACKS: Kind = { ...TESTS, suffix: ".attack.ts", concurrency: availableParallelism() };

/** Each test starts several apps. With many concurrent tests, connecting to the database would take too long. */
const ON_NODES: Kind = {
  ...TESTS,
  concurrency: availableParallelism(),
  timeoutMs: 10 * 60_000,
  limitMs: 60 * 60_000,
};

/** Browsers compete for the CPU. At least two run, because each waits half of the time. */
const JOURNEYS: Kind = {
  suffix: ".journey.ts",
  concurrency: Math.max(2, Math.floor(availableParallelism() / 2)),
  timeoutMs: 10 * 60_000,
  limitMs: 40 * 60_000,
};

/** The limits for `--looks=all`, which checks four times as many views. */
const ALL_LOOKS_LIMITS = { timeoutMs: 40 * 60_000, limitMs: 120 * 60_000 };

/** Each file loads the whole machine and checks times. */
const CAMPAIGNS: Kind = { ...JOURNEYS, suffix: ".campaigns.ts", limitMs: 40 * 60_000 };

const [first, ...rest] = process.argv.slice(2);
if (first === "journeys") await runJourneys(rest);
else if (first === "campaigns") await runKind(CAMPAIGNS, rest);
else if (first === "faults") await runTests(FAULTS, rest);
else if (first === "attacks") await runTests(ATTACKS, rest);
else await runTests(TESTS, first === undefined ? [] : [first, ...rest]);

async function runTests(usual: Kind, args: readonly string[]): Promise<void> {
  const runnerArgs = withoutOwnOptions(args);
  const nodes = valueOf("nodes", args);
  const behind = valueOf("behind", args);
  const engine = nodes === undefined ? engineOf(args) : "postgres";
  const files = findFiles(usual, runnerArgs);
  const { run: stored, once } = onPostgres(files, ROOT);
  const options = runnerArgs.filter(isOption);
  if (engine !== "postgres") {
    const settings = { ...ON_SQLITE, [BEHIND_SETTING]: behind };
    const all = [...options, ...reporterFor(runnerArgs), ...grouped(files)];
    if (usual === TESTS) await runInMemory(usual, all, settings);
    else await runFiles(usual, all, settings);
  }
  // PostgreSQL runs even after a failure, so that one run reports every problem.
  const sqliteExitCode = process.exitCode ?? 0;
  if (engine !== "sqlite" && once.length > 0) reportSkipped(once.length);
  if (engine !== "sqlite" && stored.length > 0) {
    const kind = nodes === undefined ? usual : ON_NODES;
    // Several nodes also test mixed versions: the database has the schema of a later version.
    const settings = {
      [NODES_SETTING]: nodes,
      [LATER_SETTING]: nodes,
      [BEHIND_SETTING]: behind,
    };
    await runOnPostgres(
      kind,
      [...options, ...reporterFor(runnerArgs), ...grouped(stored)],
      settings,
    );
  }
  if (sqliteExitCode !== 0) process.exitCode = sqliteExitCode;
}

/** Reports the test files that PostgreSQL skips. */
function reportSkipped(count: number): void {
  console.log(`\n${count} test files of programs that ask a server over HTTP run on SQLite alone:`);
  console.log("it answers the same from either database, as its own tests show on both.");
}

/** In a run of everything, thousands of lines for passed tests would hide a failure. */
function reporterFor(runnerArgs: readonly string[]): readonly string[] {
  const isAll = runnerArgs.length === 0;
  return [`--test-reporter=${isAll ? PROGRESS : EACH_TEST}`];
}

function withoutOwnOptions(args: readonly string[]): readonly string[] {
  return args.filter((arg) => !OWN_OPTIONS.some((own) => arg.startsWith(own)));
}

/** Behind a proxy, one engine is enough: the proxy is independent of the database. */
function engineOf(args: readonly string[]): string | undefined {
  return valueOf("on", args) ?? (valueOf("behind", args) === undefined ? undefined : "sqlite");
}

function grouped(files: readonly string[]): readonly string[] {
  const share = Math.ceil(files.length / availableParallelism());
  const size = Math.min(GROUP_MAX, Math.max(GROUP_MIN, share));
  return groupTests(files, { size, isAlone, isFirst, root: ROOT, folder: GROUPS });
}

function isFirst(file: string): boolean {
  return FIRST.includes(file);
}

/** A fault test observes its own process and times. */
function isAlone(file: string): boolean {
  return file.endsWith(FAULTS.suffix);
}

/** Runs with the databases in memory; tests of durability are not `*.test.ts`. */
async function runInMemory(
  kind: Kind,
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const folder = mkdtempSync(join(quickFolder(), "tocsin-tests-"));
  try {
    await runFiles(kind, args, { ...environment, [FOLDER_SETTING]: folder });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runOnPostgres(
  kind: Kind,
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const url = process.env[SERVER_SETTING];
  const cluster = url === undefined ? await startCluster(FLAGS, { parent: quickFolder() }) : null;
  console.log(`\nWhat uses a database, on ${cluster === null ? SERVER_SETTING : "PostgreSQL"}:`);
  try {
    await runFiles(kind, args, { ...environment, [SERVER_SETTING]: url ?? cluster?.url });
  } finally {
    await cluster?.stop();
  }
}

async function runJourneys(args: readonly string[]): Promise<void> {
  const missing = missingBrowsers();
  if (missing.length > 0) {
    fail(["The journeys drive real browsers.", ...missing].join("\n"));
    return;
  }
  const looks = valueOf("looks", args);
  const runnerArgs = withoutOwnOptions(args);
  if (looks === undefined) await runKind(JOURNEYS, runnerArgs);
  else await runKind({ ...JOURNEYS, ...ALL_LOOKS_LIMITS }, runnerArgs, { [LOOKS_SETTING]: looks });
}

async function runKind(
  kind: Kind,
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<void> {
  const files = findFiles(kind, args);
  const options = [...args.filter(isOption), `--test-reporter=${EACH_TEST}`];
  await runFiles(kind, [...options, ...files], { ...ON_SQLITE, ...environment });
}

/**
 * Returns the files of a kind, or the files of it below the paths; a path may also name one test file of another kind. Ends the
 * process if a path contains no such file.
 */
function findFiles({ suffix }: Kind, args: readonly string[]): readonly string[] {
  const paths = args.filter((arg) => !isOption(arg));
  const named = new Set(paths.map(fromRoot));
  const all = sourceFiles().filter(
    (file) => file.endsWith(suffix) || (named.has(file) && ANY_TEST.test(file)),
  );
  const emptyPath = paths.find((path) => !all.some((file) => isBelow(file, path)));
  if (emptyPath !== undefined) {
    fail(`There is no *${suffix} in ${emptyPath}.`);
    process.exit();
  }
  return all.filter((file) => paths.length === 0 || paths.some((path) => isBelow(file, path)));
}

function isOption(arg: string): boolean {
  return arg.startsWith("-");
}

async function runFiles(
  { concurrency, timeoutMs, limitMs, nodeOptions = "" }: Kind,
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
) {
  const flags = ["--test", `--test-concurrency=${concurrency}`, `--test-timeout=${timeoutMs}`];
  const env = {
    ...process.env,
    ...environment,
    NODE_OPTIONS: `${quiet(process.env["NODE_OPTIONS"])} ${nodeOptions}`.trim(),
  };
  const result = await run(process.execPath, [...flags, ...args], {
    cwd: ROOT,
    env,
    stdio: "inherit",
    timeout: limitMs,
    // On this signal the runner prints the unfinished tests and its summary.
    killSignal: "SIGINT",
  });
  endLike(result);
}

/** Set in the environment, so that it also applies to processes that tests start. */
function quiet(options = ""): string {
  return `${options} --disable-warning=ExperimentalWarning`.trim();
}

function isBelow(file: string, path: string): boolean {
  const from = fromRoot(path);
  return from === "" || file === from || file.startsWith(`${from}/`);
}

function fromRoot(path: string): string {
  return relative(ROOT, path).split(sep).join("/");
}

function fail(message: string): void {
  console.error(message);
  process.exitCode = 1;
}
