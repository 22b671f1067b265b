import { run } from "./child.mjs";
import { ROOT } from "./files.ts";
import { npmCommand } from "./installation.mjs";
import { readLockfile, type Lockfile } from "./packages.ts";
import { youngVersions } from "./supply-chain.ts";

const NPM_TIMEOUT_MS = 30_000;
/** More come only with a lockfile that was made anew, of which npm itself resolved nothing younger. */
const LOOK_UPS_MAX = 40;

/**
 * Returns one line per version that the last change of the lockfile brought and that is younger than a week. Where the registry
 * cannot be asked, or there is no history, it says so, and only in continuous integration is that a problem.
 */
export async function youngInLastChange(now: number): Promise<readonly string[]> {
  const before = await lockfileBefore();
  if (before === null) return unknown("there is no history of the lockfile here");
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
  if (names.size > LOOK_UPS_MAX) return unknown(`${names.size} packages changed at once`);
  const times = new Map<string, number>();
  for (const name of names) {
    const published = await publicationsOf(name ?? "");
    if (published === null) return unknown("the registry cannot be asked");
    for (const [version, at] of published) times.set(`${name}@${version}`, at);
  }
  return youngVersions({ packages }, { times, now });
}

function unknown(reason: string): readonly string[] {
  if (process.env["CI"] === "true" && reason.includes("registry")) return [`${reason}.`];
  console.log(`not looked at, as ${reason}`);
  return [];
}

/** The lockfile before its last change; null where git does not know it. */
async function lockfileBefore(): Promise<Lockfile | null> {
  const log = await output("git", ["log", "-2", "--format=%H", "--", "package-lock.json"]);
  const [, before] = log?.trim().split("\n") ?? [];
  if (before === undefined) return null;
  const text = await output("git", ["show", `${before}:package-lock.json`]);
  // npm wrote it.
  return text === null ? null : (JSON.parse(text) as Lockfile);
}

/** When each version of a package was published, in milliseconds since the epoch; null where the registry does not say. */
async function publicationsOf(
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
  // As the registry writes it: moments in ISO 8601 by version.
  const times = JSON.parse(text) as Readonly<Record<string, string>>;
  return Object.entries(times).map(([version, at]) => [version, Date.parse(at)] as const);
}

async function output(command: string, args: readonly string[]): Promise<string | null> {
  const ended = await run(command, args, {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "ignore"],
    timeout: NPM_TIMEOUT_MS,
  }).catch(() => null);
  return ended?.code === 0 ? ended.output : null;
}
