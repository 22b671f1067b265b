// npm test [-- PATH… --test-name-pattern=…]       the tests, or those below the paths: all on SQLite, then those that use
//                                                 a database on PostgreSQL: that of TOCSIN_TEST_DATABASE_URL, or our own
// npm test -- --on=sqlite                         on one of them alone; so with postgres
// npm test -- --nodes=3 [PATH…]                   on PostgreSQL, where each test's app is that many nodes on one
//                                                 database, behind a balancer, whose tables a later version
//                                                 has changed
// npm test -- --behind=nginx [PATH…]              on SQLite, where each test's app is asked through nginx, as deploy/nginx.conf
//                                                 configures it
// npm run journeys [-- PATH… …]                   the stories that drive real browsers
// npm run journeys -- server/test/journeys/look --looks=all
//                                                 every page in both languages and four widths, with pictures of each
// npm run faults [-- PATH…]                       every *.fault.ts: stories of killed processes, full disks, lost databases and large
//                                                 audiences, on SQLite and on PostgreSQL
// npm run attacks [-- PATH…]                      the short form of every attack, on SQLite and on PostgreSQL
// npm run campaigns [-- --test-name-pattern=…]    the short form of every campaign, and the random sequences of the queue in full
//
// A run of everything shows one line of progress, the tests that fail, and the runner's summary; a run of some shows each test.
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
  /** One test may take this long. */
  readonly timeoutMs: number;
  /** All of them together; a file that never ends is then named by the runner. */
  readonly limitMs: number;
  /** Of every process, those that tests start as well. */
  readonly nodeOptions?: string;
}

/** As `server/test/support/database.ts` reads it. */
const SERVER_SETTING = "TOCSIN_TEST_DATABASE_URL";
/** As `server/test/support/several-nodes.ts` reads it. */
const NODES_SETTING = "TOCSIN_TEST_NODES";
/** As `server/test/support/behind-nginx.ts` reads it. */
const BEHIND_SETTING = "TOCSIN_TEST_BEHIND";
/** As `server/test/support/database.ts` reads it. */
const LATER_SETTING = "TOCSIN_TEST_LATER_SCHEMA";
/** As `server/test/support/console-look.ts` reads it. */
const LOOKS_SETTING = "TOCSIN_TEST_LOOKS";
/** Test files run side by side, and each keeps some connections. */
const FLAGS = [...WITHOUT_DURABILITY, "-cmax_connections=500"];
/** As `server/test/support/temporary-folder.ts` reads it. */
const FOLDER_SETTING = "TOCSIN_TEST_DATABASE_FOLDER";

const ON_SQLITE: NodeJS.ProcessEnv = { [SERVER_SETTING]: undefined };

const TESTS: Kind = {
  suffix: ".test.ts",
  // One more than can compute at a time: each of them waits now and then, for the disk or for time to pass.
  concurrency: availableParallelism() + 1,
  timeoutMs: 3 * 60_000,
  limitMs: 40 * 60_000,
  nodeOptions: `--import=${pathToFileURL(join(ROOT, "server/test/support/quick-passwords.ts")).href}`,
};

/** Long tests that mostly wait: begun last, they would be all that is left to do. */
const FIRST = ["server/test/journeys/poison.fault.ts"];

/** Options of this script, not passed on to Node's test runner. */
const OWN_OPTIONS = ["--on=", "--nodes=", "--behind=", "--looks="];

const ANY_TEST = /\.(?:test|fault|attack|journey|campaigns)\.ts$/u;

const EACH_TEST = "spec";
const PROGRESS = pathToFileURL(join(ROOT, "scripts/test-progress.ts")).href;

/** Test files of one process, which loads and warms up what they share: more would leave the other cores without work at the end. */
const GROUP_MAX = 24;
/** Fewer files take less time than a process of their own. */
const GROUP_MIN = 6;
const GROUPS = join(ROOT, "node_modules", ".cache", "tests", "groups");

/** Each ends processes, or takes from them what they need, and looks at what becomes of them and at the time it takes. */
const FAULTS: Kind = { ...TESTS, suffix: ".fault.ts", concurrency: availableParallelism() };

/** Each loads the server from all sides, and judges times. */
const ATTACKS: Kind = { ...TESTS, suffix: ".attack.ts", concurrency: availableParallelism() };

/** Each test starts several apps at once: with many tests beside each other, a connection to the database would come too late. */
const ON_NODES: Kind = {
  ...TESTS,
  concurrency: availableParallelism(),
  timeoutMs: 10 * 60_000,
  limitMs: 60 * 60_000,
};

/** Browsers starve each other; two at least, as one of them waits for the other half of the time. */
const JOURNEYS: Kind = {
  suffix: ".journey.ts",
  concurrency: Math.max(2, Math.floor(availableParallelism() / 2)),
  timeoutMs: 10 * 60_000,
  limitMs: 40 * 60_000,
};

/** Four times as many looks. */
const PATIENT = { timeoutMs: 40 * 60_000, limitMs: 120 * 60_000 };

/** Each loads the whole machine, and looks at times. */
const CAMPAIGNS: Kind = { ...JOURNEYS, suffix: ".campaigns.ts", limitMs: 40 * 60_000 };

const [first, ...rest] = process.argv.slice(2);
if (first === "journeys") await runJourneys(rest);
else if (first === "campaigns") await runKind(CAMPAIGNS, rest);
else if (first === "faults") await runTests(FAULTS, rest);
else if (first === "attacks") await runTests(ATTACKS, rest);
else await runTests(TESTS, first === undefined ? [] : [first, ...rest]);

async function runTests(usual: Kind, args: readonly string[]): Promise<void> {
  const given = withoutOwn(args);
  const nodes = valueOf("nodes", args);
  const behind = valueOf("behind", args);
  const engine = nodes === undefined ? engineOf(args) : "postgres";
  const files = filesOf(usual, given);
  const { run: stored, once } = onPostgres(files, ROOT);
  const options = given.filter(isOption);
  if (engine !== "postgres") {
    const settings = { ...ON_SQLITE, [BEHIND_SETTING]: behind };
    const all = [...options, ...reporterFor(given), ...grouped(files)];
    if (usual === TESTS) await runInMemory(usual, all, settings);
    else await runFiles(usual, all, settings);
  }
  // Also after a failure: one run should tell all there is to know.
  const before = process.exitCode ?? 0;
  if (engine !== "sqlite" && once.length > 0) sayOnce(once.length);
  if (engine !== "sqlite" && stored.length > 0) {
    const kind = nodes === undefined ? usual : ON_NODES;
    // Several nodes also stand for two versions: their tables are those of a later one.
    const settings = {
      [NODES_SETTING]: nodes,
      [LATER_SETTING]: nodes,
      [BEHIND_SETTING]: behind,
    };
    await runOnPostgres(kind, [...options, ...reporterFor(given), ...grouped(stored)], settings);
  }
  if (before !== 0) process.exitCode = before;
}

/** Where tests are left out, the run says so. */
function sayOnce(count: number): void {
  console.log(`\n${count} test files of programs that ask a server over HTTP run on SQLite alone:`);
  console.log("it answers the same from either database, as its own tests show on both.");
}

/** Thousands of lines that all say the same would hide the one that does not. */
function reporterFor(given: readonly string[]): readonly string[] {
  const isAll = given.length === 0;
  return [`--test-reporter=${isAll ? PROGRESS : EACH_TEST}`];
}

function withoutOwn(args: readonly string[]): readonly string[] {
  return args.filter((arg) => !OWN_OPTIONS.some((own) => arg.startsWith(own)));
}

/** A proxy knows nothing of databases. */
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

/** A story of faults looks at its process and at time. */
function isAlone(file: string): boolean {
  return file.endsWith(FAULTS.suffix);
}

/** With the databases in memory: tests of what reaches a disk are no `*.test.ts`. */
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
  const given = process.env[SERVER_SETTING];
  const cluster = given === undefined ? await startCluster(FLAGS, { parent: quickFolder() }) : null;
  console.log(`\nWhat uses a database, on ${cluster === null ? SERVER_SETTING : "PostgreSQL"}:`);
  try {
    await runFiles(kind, args, { ...environment, [SERVER_SETTING]: given ?? cluster?.url });
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
  const given = withoutOwn(args);
  if (looks === undefined) await runKind(JOURNEYS, given);
  else await runKind({ ...JOURNEYS, ...PATIENT }, given, { [LOOKS_SETTING]: looks });
}

async function runKind(
  kind: Kind,
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<void> {
  const files = filesOf(kind, args);
  const options = [...args.filter(isOption), `--test-reporter=${EACH_TEST}`];
  await runFiles(kind, [...options, ...files], { ...ON_SQLITE, ...environment });
}

/**
 * Returns the files of a kind, or those below the paths, of which one may name a test of any kind itself; ends the process where
 * nothing is below one of them.
 */
function filesOf({ suffix }: Kind, args: readonly string[]): readonly string[] {
  const paths = args.filter((arg) => !isOption(arg));
  const named = new Set(paths.map(fromRoot));
  const all = sourceFiles().filter(
    (file) => file.endsWith(suffix) || (named.has(file) && ANY_TEST.test(file)),
  );
  const empty = paths.find((path) => !all.some((file) => isBelow(file, path)));
  if (empty !== undefined) {
    fail(`There is no *${suffix} in ${empty}.`);
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
