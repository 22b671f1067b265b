import { execFileSync } from "node:child_process";
import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  readChildPid,
  quoteForShell,
  runIsolated,
  type IsolatedScript,
} from "./isolated-script.ts";
import type { Scope } from "./scope.ts";
import { readUnit, valuesOf } from "./unit.ts";

/** Debian's unprivileged user. */
const NOBODY_ID = 65_534;
/** Outside `/tmp`, which the service cannot see. */
const PARENT = "/var/lib";

/** The server as the unit runs it, as closely as possible without systemd. */
export interface Service extends IsolatedScript {
  /** Sends a signal to the server. Resolves with its exit code. */
  stop(signal: NodeJS.Signals): Promise<number | null>;
  /** Resolves with the system calls that the server tried and the unit refuses. */
  refused(): Promise<readonly string[]>;
}

/**
 * Runs the unit's command as an unprivileged user: only its state folder is writable, other processes are invisible, and system
 * calls outside the filter are refused. `program` replaces the installed program.
 */
export async function startService(
  scope: Scope,
  { program, environment }: { program: readonly string[]; environment: Record<string, string> },
): Promise<Service> {
  const folder = await mkdtemp(join(PARENT, "tocsin-service-"));
  const state = join(folder, "tocsin");
  await chmod(folder, 0o755);
  await mkdir(state, { mode: 0o700 });
  await chown(state, NOBODY_ID, NOBODY_ID);
  const trace = join(state, "trace");
  const script = join(folder, "start.sh");
  await writeFile(script, buildScript({ folder, trace, program, environment }));
  const enclosed = runIsolated(scope, script, ["--pid", "--fork"]);
  scope.after(() => rm(folder, { recursive: true, force: true }));
  return {
    ...enclosed,
    async stop(signal) {
      const tracer = await readChildPid(enclosed.pid);
      process.kill(await readChildPid(tracer), signal);
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

function buildScript({ folder, trace, program, environment }: Script): string {
  const unit = readUnit();
  const unitVariables = valuesOf(unit, "Environment").map((each) => each.replaceAll("%S", folder));
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  const [start = ""] = valuesOf(unit, "ExecStart");
  const command = [...program, ...start.split(" ").slice(1)];
  const userOptions = ["--reuid=nobody", "--regid=nogroup", "--clear-groups"];
  const rights = [
    "--no-new-privs",
    "--bounding-set=-all",
    "--inh-caps=-all",
    "--ambient-caps=-all",
  ];
  const calls = refusedCalls(unit).map((name) => `?${name}`);
  const traceOptions = ["-f", "-qq", `--output=${trace}`, `--trace=${calls.join(",")}`];
  const inject = `--inject=${calls.join(",")}:error=EPERM`;
  return `
mount --bind ${folder}/tocsin ${folder}/tocsin
mount -o remount,bind,ro /
mount -t proc -o subset=pid,hidepid=invisible proc /proc
umask 0077
cd ${folder}/tocsin
exec setpriv ${quoteForShell([...userOptions, ...rights])} strace ${quoteForShell([...traceOptions, inject])} \\
  env -i ${quoteForShell([...unitVariables, ...variables, ...command])}
`;
}

/** Returns all system calls that the unit's filter refuses. */
export function refusedCalls(unit: string): readonly string[] {
  const groups = readGroups();
  const [allowed, denied] = [new Set<string>(), new Set<string>()];
  for (const value of valuesOf(unit, "SystemCallFilter")) {
    const target = value.startsWith("~") ? denied : allowed;
    for (const name of value.replace("~", "").split(" ")) {
      for (const call of expandGroup(name, groups)) target.add(call);
    }
  }
  const allCalls = expandGroup("@known", groups);
  return allCalls.filter((name) => !allowed.has(name) || denied.has(name));
}

function expandGroup(
  name: string,
  groups: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  if (!name.startsWith("@")) return [name];
  return (groups.get(name) ?? []).flatMap((each) => expandGroup(each, groups));
}

/** Reads systemd's groups of system calls. */
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
