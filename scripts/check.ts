// npm run check                runs everything that CI runs before the faults, attacks, campaigns and journeys
// npm run check -- --quick     skips the tests
//
// Prints one line per step, and details only of failed steps.
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { exitLike, run } from "./child.mjs";
import { ROOT, listSourceFiles } from "./files.ts";
import { findWordProblems } from "./comment-words.ts";
import { findDeadNames } from "./dead-names.ts";
import { mapPackageFiles } from "./house/rooms.ts";
import { findExceededCeilings, measureSources } from "./house/rows.ts";
import { getNpmCommand } from "./installation.mjs";
import { findYoungVersionsInLastChange } from "./new-versions.ts";
import {
  findInexactVersions,
  readLockfile,
  readManifests,
  findUndecidedScripts,
} from "./packages.ts";
import { readSources, type Source } from "./source.ts";
import { findBrokenLinks, findMachinePaths, findMissingDocuments } from "./text-checks.ts";

/** One check of the repository. */
interface Step {
  readonly name: string;
  /** Returns the problems as text; an empty string means success. */
  readonly findProblems: () => Promise<string> | string;
}

const STEP_TIMEOUT_MS = 5 * 60_000;

const files = listSourceFiles();
const manifests = readManifests();
const readText = (path: string) => readFileSync(join(ROOT, path), "utf8");

const STEPS: readonly Step[] = [
  { name: "format", findProblems: () => runTool("oxfmt", ["--check", "."]) },
  {
    name: "lint",
    findProblems: () =>
      runTool("oxlint", ["--type-aware", "-c", "oxlint.config.ts", "--deny-warnings", "."]),
  },
  ...files
    .filter((path) => /^tsconfig(?:\..+)?\.json$/u.test(basename(path)))
    .map((path) => ({ name: `types (${path})`, findProblems: () => runTool("tsc", ["-p", path]) })),
  { name: "dump", findProblems: () => runTool(process.execPath, ["scripts/dump.ts", "--check"]) },
  { name: "lockfile", findProblems: findLockfileDrift },
  {
    name: "install scripts",
    findProblems: () =>
      joinLines(findUndecidedScripts(readLockfile(), manifests["package.json"]?.allowScripts)),
  },
  {
    name: "ages of new versions",
    findProblems: async () => joinLines(await findYoungVersionsInLastChange(Date.now())),
  },
  { name: "exact versions", findProblems: () => joinLines(findInexactVersions(manifests)) },
  { name: "machine paths", findProblems: () => joinLines(findMachinePaths(files, readText)) },
  { name: "documents", findProblems: () => joinLines(findMissingDocuments(files)) },
  { name: "names in comments", findProblems: () => joinLines(findDeadNames(getSources())) },
  {
    name: "words in comments and titles",
    findProblems: () => joinLines(findWordProblems(getSources())),
  },
  {
    name: "house",
    findProblems: () =>
      joinLines(findExceededCeilings(measureSources(getSources(), mapPackageFiles(manifests)))),
  },
  { name: "links", findProblems: () => joinLines(findBrokenLinks(files, readText)) },
  { name: "site", findProblems: () => runTool(process.execPath, ["scripts/docs.ts"]) },
];

const isQuick = process.argv.includes("--quick");
const failedSteps: string[] = [];
let cachedSources: readonly Source[] | null = null;
for (const step of STEPS) if (!(await runStep(step))) failedSteps.push(step.name);
console.log(formatSummary());
if (!isQuick) {
  exitLike(await run(process.execPath, ["scripts/test.ts"], { cwd: ROOT, stdio: "inherit" }));
  if (failedSteps.length > 0) console.error(`\n${formatSummary()}`);
}
if (failedSteps.length > 0) process.exitCode = 1;

/** Runs a step, prints its result, and returns whether it found no problem. */
async function runStep({ name, findProblems }: Step): Promise<boolean> {
  const startedAt = performance.now();
  process.stdout.write(`${name} … `);
  const problems = await findProblems();
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${problems === "" ? "ok" : "FAILED"} ${seconds} s`);
  if (problems !== "") console.log(`\n${problems.trim()}\n`);
  return problems === "";
}

function formatSummary(): string {
  if (failedSteps.length === 0) return `All ${STEPS.length} checks are ok.`;
  return `${failedSteps.length} of ${STEPS.length} checks failed: ${failedSteps.join(", ")}.`;
}

/** Returns the parsed sources. All steps share them, because parsing takes seconds. */
function getSources(): readonly Source[] {
  cachedSources ??= readSources(files, readText);
  return cachedSources;
}

/** Compares the package.json files with the lockfile, as npm itself does; installs nothing. */
function findLockfileDrift(): Promise<string> {
  const [command, ...npmArgs] = getNpmCommand(process.env);
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  return runTool(command, [...npmArgs, "ci", "--dry-run", ...options]);
}

/** Runs a program, and returns its output if it fails; otherwise an empty string. */
async function runTool(command: string, args: readonly string[]): Promise<string> {
  const { code, signal, output } = await run(command, args, {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: STEP_TIMEOUT_MS,
  });
  if (code === 0) return "";
  return `${output}\n${basename(command)} ended with ${signal ?? `code ${code}`}.`;
}

function joinLines(problems: readonly string[]): string {
  return problems.join("\n");
}
