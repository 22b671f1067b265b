// npm run check                runs everything that CI runs before the faults, attacks, campaigns and journeys
// npm run check -- --quick     skips the tests
//
// Prints one line per step, and details only of failed steps.
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { endLike, run } from "./child.mjs";
import { ROOT, sourceFiles } from "./files.ts";
import { wordProblems } from "./comment-words.ts";
import { deadNames } from "./dead-names.ts";
import { packageFiles } from "./house/rooms.ts";
import { aboveCeilings, sourceRows } from "./house/rows.ts";
import { npmCommand } from "./installation.mjs";
import { youngVersionsInLastChange } from "./new-versions.ts";
import { inexactVersions, readLockfile, readManifests, undecidedScripts } from "./packages.ts";
import { readSources, type Source } from "./source.ts";
import { brokenLinks, machinePaths, missingDocuments } from "./texts.ts";

interface Step {
  readonly name: string;
  /** Returns the problems as text; an empty string means success. */
  readonly find: () => Promise<string> | string;
}

const STEP_TIMEOUT_MS = 5 * 60_000;

const files = sourceFiles();
const manifests = readManifests();
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

const STEPS: readonly Step[] = [
  { name: "format", find: () => failure("oxfmt", ["--check", "."]) },
  {
    name: "lint",
    find: () =>
      failure("oxlint", ["--type-aware", "-c", "oxlint.config.ts", "--deny-warnings", "."]),
  },
  ...files
    .filter((path) => /^tsconfig(?:\..+)?\.json$/u.test(basename(path)))
    .map((path) => ({ name: `types (${path})`, find: () => failure("tsc", ["-p", path]) })),
  { name: "dump", find: () => failure(process.execPath, ["scripts/dump.ts", "--check"]) },
  { name: "lockfile", find: lockfileDrift },
  {
    name: "install scripts",
    find: () => lines(undecidedScripts(readLockfile(), manifests["package.json"]?.allowScripts)),
  },
  {
    name: "ages of new versions",
    find: async () => lines(await youngVersionsInLastChange(Date.now())),
  },
  { name: "exact versions", find: () => lines(inexactVersions(manifests)) },
  { name: "machine paths", find: () => lines(machinePaths(files, read)) },
  { name: "documents", find: () => lines(missingDocuments(files)) },
  { name: "names in comments", find: () => lines(deadNames(sources())) },
  { name: "words in comments and titles", find: () => lines(wordProblems(sources())) },
  {
    name: "house",
    find: () => lines(aboveCeilings(sourceRows(sources(), packageFiles(manifests)))),
  },
  { name: "links", find: () => lines(brokenLinks(files, read)) },
  { name: "site", find: () => failure(process.execPath, ["scripts/docs.ts"]) },
];

const isQuick = process.argv.includes("--quick");
const failed: string[] = [];
let parsed: readonly Source[] | null = null;
for (const step of STEPS) if (!(await passes(step))) failed.push(step.name);
console.log(summary());
if (!isQuick) {
  endLike(await run(process.execPath, ["scripts/test.ts"], { cwd: ROOT, stdio: "inherit" }));
  if (failed.length > 0) console.error(`\n${summary()}`);
}
if (failed.length > 0) process.exitCode = 1;

async function passes({ name, find }: Step): Promise<boolean> {
  const start = performance.now();
  process.stdout.write(`${name} … `);
  const problems = await find();
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`${problems === "" ? "ok" : "FAILED"} ${seconds} s`);
  if (problems !== "") console.log(`\n${problems.trim()}\n`);
  return problems === "";
}

function summary(): string {
  if (failed.length === 0) return `All ${STEPS.length} checks are ok.`;
  return `${failed.length} of ${STEPS.length} checks failed: ${failed.join(", ")}.`;
}

/** Parsing takes seconds, so all steps share one result. */
function sources(): readonly Source[] {
  parsed ??= readSources(files, read);
  return parsed;
}

/** Compares the package.json files with the lockfile, as npm itself does; installs nothing. */
function lockfileDrift(): Promise<string> {
  const [command, ...first] = npmCommand(process.env);
  const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  return failure(command, [...first, "ci", "--dry-run", ...quiet]);
}

/** Runs a program; returns its output if it fails, else an empty string. */
async function failure(command: string, args: readonly string[]): Promise<string> {
  const { code, signal, output } = await run(command, args, {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: STEP_TIMEOUT_MS,
  });
  if (code === 0) return "";
  return `${output}\n${basename(command)} ended with ${signal ?? `code ${code}`}.`;
}

function lines(problems: readonly string[]): string {
  return problems.join("\n");
}
