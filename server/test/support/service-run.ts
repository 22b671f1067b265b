import { execFileSync } from "node:child_process";
import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { childOf, quoted, runEnclosed, type Enclosed } from "./own-files.ts";
import type { Scope } from "./scope.ts";
import { unitText, valuesOf } from "./unit.ts";

/** Debian's user that owns nothing. */
const NOBODY = 65_534;
/** Beside `/tmp`, which the service does not see. */
const PARENT = "/var/lib";

/** The server as the unit runs it, as far as that can be without systemd. */
export interface Service extends Enclosed {
  /** Sends a signal to the server, and resolves with its exit code. */
  stop(signal: NodeJS.Signals): Promise<number | null>;
  /** Resolves with the names of system calls that the unit refuses and that were tried. */
  refused(): Promise<readonly string[]>;
}

/**
 * Runs the unit's command as a user without rights, on file systems that are read-only but for its state, with the processes of
 * nobody else, and with every system call refused that its filter leaves out. `program` takes the place of the installed one.
 */
export async function startService(
  scope: Scope,
  { program, environment }: { program: readonly string[]; environment: Record<string, string> },
): Promise<Service> {
  const folder = await mkdtemp(join(PARENT, "tocsin-service-"));
  const state = join(folder, "tocsin");
  await chmod(folder, 0o755);
  await mkdir(state, { mode: 0o700 });
  await chown(state, NOBODY, NOBODY);
  const trace = join(state, "trace");
  const script = join(folder, "start.sh");
  await writeFile(script, scriptOf({ folder, trace, program, environment }));
  const enclosed = runEnclosed(scope, script, ["--pid", "--fork"]);
  scope.after(() => rm(folder, { recursive: true, force: true }));
  return {
    ...enclosed,
    async stop(signal) {
      const tracer = await childOf(enclosed.pid);
      process.kill(await childOf(tracer), signal);
      return enclosed.ended;
    },
    async refused() {
      const calls = (await readFile(trace, "utf8")).matchAll(/(\w+)\(.*\(INJECTED\)/g);
      return [...new Set(Array.from(calls, ([, name = ""]) => name))];
    },
  };
}

interface Script {
  readonly folder: string;
  readonly trace: string;
  readonly program: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

function scriptOf({ folder, trace, program, environment }: Script): string {
  const unit = unitText();
  const own = valuesOf(unit, "Environment").map((each) => each.replaceAll("%S", folder));
  const given = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  const [start = ""] = valuesOf(unit, "ExecStart");
  const words = [...program, ...start.split(" ").slice(1)];
  const who = ["--reuid=nobody", "--regid=nogroup", "--clear-groups"];
  const rights = [
    "--no-new-privs",
    "--bounding-set=-all",
    "--inh-caps=-all",
    "--ambient-caps=-all",
  ];
  const calls = refusedCalls(unit).map((name) => `?${name}`);
  const traced = ["-f", "-qq", `--output=${trace}`, `--trace=${calls.join(",")}`];
  const inject = `--inject=${calls.join(",")}:error=EPERM`;
  return `
mount --bind ${folder}/tocsin ${folder}/tocsin
mount -o remount,bind,ro /
mount -t proc -o subset=pid,hidepid=invisible proc /proc
umask 0077
cd ${folder}/tocsin
exec setpriv ${quoted([...who, ...rights])} strace ${quoted([...traced, inject])} \\
  env -i ${quoted([...own, ...given, ...words])}
`;
}

/** Returns the names of all system calls that the unit's filter refuses. */
export function refusedCalls(unit: string): readonly string[] {
  const groups = readGroups();
  const [allowed, denied] = [new Set<string>(), new Set<string>()];
  for (const value of valuesOf(unit, "SystemCallFilter")) {
    const target = value.startsWith("~") ? denied : allowed;
    for (const name of value.replace("~", "").split(" ")) {
      for (const call of callsOf(name, groups)) target.add(call);
    }
  }
  const known = callsOf("@known", groups);
  return known.filter((name) => !allowed.has(name) || denied.has(name));
}

function callsOf(name: string, groups: ReadonlyMap<string, readonly string[]>): readonly string[] {
  if (!name.startsWith("@")) return [name];
  return (groups.get(name) ?? []).flatMap((each) => callsOf(each, groups));
}

/** The system calls behind systemd's group names. */
function readGroups(): ReadonlyMap<string, readonly string[]> {
  const text = execFileSync("systemd-analyze", ["syscall-filter", "--no-pager"], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const groups = new Map<string, string[]>();
  let last: string[] = [];
  for (const line of text.split("\n")) {
    if (line.startsWith("@")) groups.set(line.trim(), (last = []));
    else if (/^ +[a-z@_0-9-]+$/i.test(line)) last.push(line.trim());
  }
  return groups;
}
