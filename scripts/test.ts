// npm test [-- PATH… --test-name-pattern=…]       runs all tests, or those below the paths, on SQLite; then those that
//                                                 use a database on PostgreSQL: at TOCSIN_TEST_DATABASE_URL, or in a
//                                                 temporary cluster
// npm test -- --on=sqlite                         runs them only on SQLite; --on=postgres only on PostgreSQL
// npm test -- --nodes=3 [PATH…]                   runs them on PostgreSQL; each app is three nodes behind a balancer,
//                                                 on one database with the schema of a later version
// npm test -- --behind=nginx [PATH…]              runs them on SQLite; requests pass nginx with deploy/nginx.conf
// npm run journeys [-- PATH… …]                   runs the journeys, which drive real browsers
// npm run journeys -- server/test/journeys/look --looks=all
//                                                 checks every page in both languages and four widths, with screenshots
// npm run faults [-- PATH…]                       runs every *.fault.ts: killed processes, full disks, lost databases
//                                                 and large audiences, on SQLite and on PostgreSQL
// npm run attacks [-- PATH…]                      runs the short form of every attack, on SQLite and on PostgreSQL
// npm run campaigns [-- --test-name-pattern=…]    runs the short form of every campaign, and all sequences of the queue
//
// Without paths, npm test, the faults and the attacks print one line of progress, the failed tests and the summary.
// Every other run prints each test.
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, relative, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { listMissingBrowsers } from "./browsers.ts";
import { exitLike, run } from "./child.mjs";
import { WITHOUT_DURABILITY, startPostgres } from "../server/test/support/postgres-cluster.ts";
import { ROOT, listSourceFiles } from "./files.ts";
import { findFlagValue } from "./flags.ts";
import { selectPostgresTests } from "./on-postgres.ts";
import {
  ALL_LOOKS_LIMITS,
  ATTACKS,
  CAMPAIGNS,
  FAULTS,
  JOURNEYS,
  ON_NODES,
  TESTS,
  type TestKind,
} from "./test-kinds.ts";
import { chooseTestDatabaseFolder } from "./test-database-folder.ts";
import { groupTests } from "./test-groups.ts";

/** Read by `server/test/support/database.ts`. */
const DATABASE_URL_SETTING = "TOCSIN_TEST_DATABASE_URL";
/** Read by `server/test/support/nodes-behind-balancer.ts`. */
const NODES_SETTING = "TOCSIN_TEST_NODES";
/** Read by `server/test/support/behind-nginx.ts`. */
const PROXY_SETTING = "TOCSIN_TEST_BEHIND";
/** Read by `server/test/support/database.ts`. */
const LATER_SCHEMA_SETTING = "TOCSIN_TEST_LATER_SCHEMA";
/** Read by `server/test/support/console-inspection.ts`. */
const LOOKS_SETTING = "TOCSIN_TEST_LOOKS";
/** Test files run concurrently, and each keeps some connections. */
const CLUSTER_FLAGS = [...WITHOUT_DURABILITY, "-cmax_connections=500"];
/** Read by `server/test/support/temporary-folder.ts`. */
const FOLDER_SETTING = "TOCSIN_TEST_DATABASE_FOLDER";

const ON_SQLITE: NodeJS.ProcessEnv = { [DATABASE_URL_SETTING]: undefined };

/** Long tests that mostly wait; started last, they would prolong the run. */
const FIRST_FILES = ["server/test/journeys/poison.fault.ts"];

/** Options of this script, not passed on to Node's test runner. */
const OWN_OPTIONS = ["--on=", "--nodes=", "--behind=", "--looks="];

const ANY_TEST = /\.(?:test|fault|attack|journey|campaigns)\.ts$/u;

const SPEC_REPORTER = "spec";
const PROGRESS_REPORTER = pathToFileURL(join(ROOT, "scripts/test-progress.ts")).href;

/** The maximum number of test files per process. They share its loaded modules; larger groups leave cores idle. */
const GROUP_MAX = 24;
/** Smaller groups would cost more time for processes than they save. */
const GROUP_MIN = 6;
const GROUPS_FOLDER = join(ROOT, "node_modules", ".cache", "tests", "groups");

const [firstArg, ...furtherArgs] = process.argv.slice(2);
if (firstArg === "journeys") await runJourneys(furtherArgs);
else if (firstArg === "campaigns") await runKind(CAMPAIGNS, furtherArgs);
else if (firstArg === "faults") await runTests(FAULTS, furtherArgs);
else if (firstArg === "attacks") await runTests(ATTACKS, furtherArgs);
else await runTests(TESTS, process.argv.slice(2));

async function runTests(kind: TestKind, args: readonly string[]): Promise<void> {
  const passedArgs = removeOwnOptions(args);
  const nodes = findFlagValue("nodes", args);
  const proxy = findFlagValue("behind", args);
  const engine = nodes === undefined ? chooseEngine(args) : "postgres";
  const files = findFiles(kind, passedArgs);
  const { onBoth, onlySqlite } = selectPostgresTests(files, ROOT);
  const options = passedArgs.filter(isOption);
  if (engine !== "postgres") {
    const settings = { ...ON_SQLITE, [PROXY_SETTING]: proxy };
    const nodeArgs = [...options, ...chooseReporter(passedArgs), ...groupFiles(files)];
    if (kind === TESTS) await runInMemory(kind, nodeArgs, settings);
    else await runFiles(kind, nodeArgs, settings);
  }
  // PostgreSQL runs even after a failure, so that one run reports every problem.
  const sqliteExitCode = process.exitCode ?? 0;
  if (engine !== "sqlite" && onlySqlite.length > 0) reportSkipped(onlySqlite.length);
  if (engine !== "sqlite" && onBoth.length > 0) {
    const postgresKind = nodes === undefined ? kind : ON_NODES;
    // Several nodes also test mixed versions: the database has the schema of a later version.
    const settings = {
      [NODES_SETTING]: nodes,
      [LATER_SCHEMA_SETTING]: nodes,
      [PROXY_SETTING]: proxy,
    };
    const nodeArgs = [...options, ...chooseReporter(passedArgs), ...groupFiles(onBoth)];
    await runOnPostgres(postgresKind, nodeArgs, settings);
  }
  if (sqliteExitCode !== 0) process.exitCode = sqliteExitCode;
}

/** Reports the test files that PostgreSQL skips. */
function reportSkipped(count: number): void {
  console.log(`\n${count} test files of programs that call a server over HTTP run only on SQLite:`);
  console.log("the server's own tests show that its responses do not depend on the database.");
}

/** Returns the reporter: in a run of everything, thousands of lines for passed tests would hide a failure. */
function chooseReporter(passedArgs: readonly string[]): readonly string[] {
  const runsAllTests = passedArgs.length === 0;
  return [`--test-reporter=${runsAllTests ? PROGRESS_REPORTER : SPEC_REPORTER}`];
}

function removeOwnOptions(args: readonly string[]): readonly string[] {
  return args.filter((arg) => !OWN_OPTIONS.some((own) => arg.startsWith(own)));
}

/**
 * Returns the only engine to run on, if any. Behind a proxy, one is enough: the proxy does not depend on the database.
 */
function chooseEngine(args: readonly string[]): string | undefined {
  const isBehindProxy = findFlagValue("behind", args) !== undefined;
  return findFlagValue("on", args) ?? (isBehindProxy ? "sqlite" : undefined);
}

function groupFiles(files: readonly string[]): readonly string[] {
  const share = Math.ceil(files.length / availableParallelism());
  const size = Math.min(GROUP_MAX, Math.max(GROUP_MIN, share));
  return groupTests(files, { size, needsOwnProcess, isFirst, root: ROOT, folder: GROUPS_FOLDER });
}

function isFirst(file: string): boolean {
  return FIRST_FILES.includes(file);
}

/** Returns whether a file needs its own process: a fault test observes its process and times. */
function needsOwnProcess(file: string): boolean {
  return file.endsWith(FAULTS.suffix);
}

/** Keeps the databases in memory: no `*.test.ts` tests durability. */
async function runInMemory(
  kind: TestKind,
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const folder = mkdtempSync(join(chooseTestDatabaseFolder(), "tocsin-tests-"));
  try {
    await runFiles(kind, args, { ...environment, [FOLDER_SETTING]: folder });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runOnPostgres(
  kind: TestKind,
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const url = process.env[DATABASE_URL_SETTING];
  const parent = chooseTestDatabaseFolder();
  const cluster = url === undefined ? await startPostgres(CLUSTER_FLAGS, { parent }) : null;
  const name = cluster === null ? DATABASE_URL_SETTING : "PostgreSQL";
  console.log(`\nTests that use a database, on ${name}:`);
  try {
    await runFiles(kind, args, { ...environment, [DATABASE_URL_SETTING]: url ?? cluster?.url });
  } finally {
    await cluster?.stop();
  }
}

async function runJourneys(args: readonly string[]): Promise<void> {
  const missingBrowsers = listMissingBrowsers();
  if (missingBrowsers.length > 0) {
    fail(["The journeys drive real browsers.", ...missingBrowsers].join("\n"));
    return;
  }
  const looks = findFlagValue("looks", args);
  const passedArgs = removeOwnOptions(args);
  if (looks === undefined) await runKind(JOURNEYS, passedArgs);
  else await runKind({ ...JOURNEYS, ...ALL_LOOKS_LIMITS }, passedArgs, { [LOOKS_SETTING]: looks });
}

async function runKind(
  kind: TestKind,
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<void> {
  const files = findFiles(kind, args);
  const options = [...args.filter(isOption), `--test-reporter=${SPEC_REPORTER}`];
  await runFiles(kind, [...options, ...files], { ...ON_SQLITE, ...environment });
}

/**
 * Returns the files of a kind, or only those below the paths; a path may also name one test file of another kind. Ends
 * the process if a path contains no such file.
 */
function findFiles({ suffix }: TestKind, args: readonly string[]): readonly string[] {
  const paths = args.filter((arg) => !isOption(arg));
  const namedFiles = new Set(paths.map(toRootPath));
  const matchingFiles = listSourceFiles().filter(
    (file) => file.endsWith(suffix) || (namedFiles.has(file) && ANY_TEST.test(file)),
  );
  const emptyPath = paths.find((path) => !matchingFiles.some((file) => isBelow(file, path)));
  if (emptyPath !== undefined) {
    fail(`There is no *${suffix} in ${emptyPath}.`);
    process.exit();
  }
  return matchingFiles.filter(
    (file) => paths.length === 0 || paths.some((path) => isBelow(file, path)),
  );
}

function isOption(arg: string): boolean {
  return arg.startsWith("-");
}

async function runFiles(
  { concurrency, testTimeoutMs, runTimeoutMs, nodeOptions = "" }: TestKind,
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
) {
  const flags = ["--test", `--test-concurrency=${concurrency}`, `--test-timeout=${testTimeoutMs}`];
  const env = {
    ...process.env,
    ...environment,
    NODE_OPTIONS: `${addQuietOption(process.env["NODE_OPTIONS"])} ${nodeOptions}`.trim(),
  };
  // On SIGINT the runner prints the unfinished tests and its summary.
  const limits = { timeout: runTimeoutMs, killSignal: "SIGINT" } as const;
  const options = { cwd: ROOT, env, stdio: "inherit", ...limits } as const;
  exitLike(await run(process.execPath, [...flags, ...args], options));
}

/**
 * Silences Node's warnings about experimental features. In the environment, the option also applies to processes that
 * tests start.
 */
function addQuietOption(options = ""): string {
  return `${options} --disable-warning=ExperimentalWarning`.trim();
}

function isBelow(file: string, path: string): boolean {
  const rootPath = toRootPath(path);
  return rootPath === "" || file === rootPath || file.startsWith(`${rootPath}/`);
}

function toRootPath(path: string): string {
  return relative(ROOT, path).split(sep).join("/");
}

function fail(message: string): void {
  console.error(message);
  process.exitCode = 1;
}
