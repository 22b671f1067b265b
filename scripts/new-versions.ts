import { run } from "./child.mjs";
import { ROOT } from "./files.ts";
import { npmCommand } from "./installation.mjs";
import { readLockfile, type Lockfile } from "./packages.ts";
import { youngVersions } from "./supply-chain.ts";

const NPM_TIMEOUT_MS = 30_000;
/** A change of more packages is a regenerated lockfile, for which npm itself resolved no younger version. */
const LOOK_UPS_MAX = 40;

/**
 * Returns one line per version that the last change of the lockfile added and that is younger than a week. Prints a note if
 * the registry is unreachable or there is no history; an unreachable registry is a problem only in continuous integration.
 */
export async function youngVersionsInLastChange(now: number): Promise<readonly string[]> {
  const before = await readPreviousLockfile();
  if (before === null) return reportUnknown("there is no history of the lockfile here");
  const current = readLockfile();
  const packages = Object.fromEntries(
    Object.entries(current.packages).filter(
      ([folder, { version }]) => before.packages[folder]?.version !== version,
    ),
  );
  const names = new Set(
    Object.keys(packages)
      .filter((folder) => folder.includes("node_modules/"))
      .map((folder) => folder.split("node_modules/").at(-1)),
  );
  if (names.size > LOOK_UPS_MAX) return reportUnknown(`${names.size} packages changed at once`);
  const times = new Map<string, number>();
  for (const name of names) {
    const published = await fetchPublicationTimes(name ?? "");
    if (published === null) return reportUnknown("the registry cannot be asked");
    for (const [version, at] of published) times.set(`${name}@${version}`, at);
  }
  return youngVersions({ packages }, { times, now });
}

function reportUnknown(reason: string): readonly string[] {
  if (process.env["CI"] === "true" && reason.includes("registry")) return [`${reason}.`];
  console.log(`not looked at, as ${reason}`);
  return [];
}

/** Returns the lockfile before its last change; null if git does not have it. */
async function readPreviousLockfile(): Promise<Lockfile | null> {
  const log = await output("git", ["log", "-2", "--format=%H", "--", "package-lock.json"]);
  const [, before] = log?.trim().split("\n") ?? [];
  if (before === undefined) return null;
  const text = await output("git", ["show", `${before}:package-lock.json`]);
  // npm wrote the file, so its shape is known.
  return text === null ? null : (JSON.parse(text) as Lockfile);
}

/** Returns the publication time of each version of a package, in milliseconds since the epoch; null if it is unknown. */
async function fetchPublicationTimes(
  name: string,
): Promise<readonly (readonly [string, number])[] | null> {
  const [command, ...first] = npmCommand(process.env);
  const text = await output(command, [
    ...first,
    "view",
    name,
    "time",
    "--json",
    "--loglevel=error",
  ]);
  if (text === null) return null;
  // The registry's format: times in ISO 8601 by version.
  const times = JSON.parse(text) as Readonly<Record<string, string>>;
  return Object.entries(times).map(([version, at]) => [version, Date.parse(at)] as const);
}

async function output(command: string, args: readonly string[]): Promise<string | null> {
  const result = await run(command, args, {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "ignore"],
    timeout: NPM_TIMEOUT_MS,
  }).catch(() => null);
  return result?.code === 0 ? result.output : null;
}
