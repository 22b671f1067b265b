import { run } from "./child.mjs";
import { ROOT } from "./files.ts";
import { getNpmCommand } from "./installation.mjs";
import { readLockfile, type Lockfile } from "./packages.ts";
import { findYoungVersions } from "./supply-chain.ts";

const COMMAND_TIMEOUT_MS = 30_000;
/** A change of more packages is a regenerated lockfile, for which npm itself resolved no younger version. */
const LOOKUPS_MAX = 40;

/**
 * Returns one line per version that the last change of the lockfile added and that is younger than a week. Prints a
 * note if the registry is unreachable, there is no history, or too many packages changed; an unreachable registry is a
 * problem only in continuous integration.
 */
export async function findYoungVersionsInLastChange(now: number): Promise<readonly string[]> {
  const previousLockfile = await readPreviousLockfile();
  if (previousLockfile === null) return reportUnknown("there is no history of the lockfile here");
  const current = readLockfile();
  const packages = Object.fromEntries(
    Object.entries(current.packages).filter(
      ([folder, { version }]) => previousLockfile.packages[folder]?.version !== version,
    ),
  );
  const names = new Set(
    Object.keys(packages)
      .filter((folder) => folder.includes("node_modules/"))
      .map((folder) => folder.split("node_modules/").at(-1)),
  );
  if (names.size > LOOKUPS_MAX) return reportUnknown(`${names.size} packages changed at once`);
  const times = new Map<string, number>();
  for (const name of names) {
    const versionTimes = await fetchPublicationTimes(name ?? "");
    if (versionTimes === null) return reportUnreachableRegistry();
    for (const [version, publishedAt] of versionTimes) times.set(`${name}@${version}`, publishedAt);
  }
  return findYoungVersions({ packages }, { times, now });
}

function reportUnreachableRegistry(): readonly string[] {
  const reason = "the registry cannot be reached";
  return process.env["CI"] === "true" ? [`${reason}.`] : reportUnknown(reason);
}

function reportUnknown(reason: string): readonly string[] {
  console.log(`not checked, because ${reason}`);
  return [];
}

/** Returns the lockfile before its last change; null if git does not have it. */
async function readPreviousLockfile(): Promise<Lockfile | null> {
  const log = await readOutput("git", ["log", "-2", "--format=%H", "--", "package-lock.json"]);
  const [, previousCommit] = log?.trim().split("\n") ?? [];
  if (previousCommit === undefined) return null;
  const text = await readOutput("git", ["show", `${previousCommit}:package-lock.json`]);
  // npm wrote the file, so its shape is known.
  return text === null ? null : (JSON.parse(text) as Lockfile);
}

/**
 * Returns the publication time of each version of a package, in milliseconds since the epoch; null if it is unknown.
 */
async function fetchPublicationTimes(
  name: string,
): Promise<readonly (readonly [version: string, publishedAt: number])[] | null> {
  const [command, ...npmArgs] = getNpmCommand(process.env);
  const text = await readOutput(command, [
    ...npmArgs,
    "view",
    name,
    "time",
    "--json",
    "--loglevel=error",
  ]);
  if (text === null) return null;
  // The registry's format: times in ISO 8601 by version.
  const times = JSON.parse(text) as Readonly<Record<string, string>>;
  return Object.entries(times).map(([version, time]) => [version, Date.parse(time)] as const);
}

/** Returns the output of a program; null if it fails. */
async function readOutput(command: string, args: readonly string[]): Promise<string | null> {
  const result = await run(command, args, {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "ignore"],
    timeout: COMMAND_TIMEOUT_MS,
  }).catch(() => null);
  return result?.code === 0 ? result.output : null;
}
