import { execFileSync } from "node:child_process";
import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  readChildPid,
  quoteForShell,
  runIsolatedScript,
  type IsolatedScript,
} from "./isolated-script.ts";
import type { Scope } from "./scope.ts";
import { readSystemdUnit, getUnitValues } from "./systemd-unit.ts";

/** Debian's unprivileged user. */
const NOBODY_ID = 65_534;
/** Outside `/tmp`, which the service cannot see. */
const PARENT_FOLDER = "/var/lib";

/** The server as the unit runs it, as closely as possible without systemd. */
export interface SystemdService extends IsolatedScript {
  /** Sends a signal to the server. Resolves with its exit code. */
  stop(signal: NodeJS.Signals): Promise<number | null>;
  /** Resolves with the system calls that the server tried and the unit refuses. */
  readRefusedCalls(): Promise<readonly string[]>;
}

/**
 * Runs the unit's command as an unprivileged user: only its state folder is writable, other processes are invisible,
 * and system calls outside the filter are refused. `program` replaces the installed program.
 */
export async function startService(
  scope: Scope,
  { program, environment }: { program: readonly string[]; environment: Record<string, string> },
): Promise<SystemdService> {
  const folder = await mkdtemp(join(PARENT_FOLDER, "tocsin-service-"));
  const state = join(folder, "tocsin");
  await chmod(folder, 0o755);
  await mkdir(state, { mode: 0o700 });
  await chown(state, NOBODY_ID, NOBODY_ID);
  const trace = join(state, "trace");
  const script = join(folder, "start.sh");
  await writeFile(script, createStartScript({ folder, trace, program, environment }));
  const isolatedScript = runIsolatedScript(scope, script, ["--pid", "--fork"]);
  scope.after(() => rm(folder, { recursive: true, force: true }));
  return {
    ...isolatedScript,
    async stop(signal) {
      const tracer = await readChildPid(isolatedScript.pid);
      process.kill(await readChildPid(tracer), signal);
      return isolatedScript.ended;
    },
    async readRefusedCalls() {
      const calls = (await readFile(trace, "utf8")).matchAll(/(\w+)\(.*\(INJECTED\)/g);
      return [...new Set(Array.from(calls, ([, name = ""]) => name))];
    },
  };
}

interface ScriptOptions {
  readonly folder: string;
  readonly trace: string;
  readonly program: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

function createStartScript({ folder, trace, program, environment }: ScriptOptions): string {
  const unit = readSystemdUnit();
  const unitVariables = getUnitValues(unit, "Environment").map((each) =>
    each.replaceAll("%S", folder),
  );
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  const [start = ""] = getUnitValues(unit, "ExecStart");
  const command = [...program, ...start.split(" ").slice(1)];
  const userOptions = ["--reuid=nobody", "--regid=nogroup", "--clear-groups"];
  const privilegeOptions = [
    "--no-new-privs",
    "--bounding-set=-all",
    "--inh-caps=-all",
    "--ambient-caps=-all",
  ];
  const calls = listRefusedCalls(unit).map((name) => `?${name}`);
  const traceOptions = ["-f", "-qq", `--output=${trace}`, `--trace=${calls.join(",")}`];
  const injectOption = `--inject=${calls.join(",")}:error=EPERM`;
  return `
mount --bind ${folder}/tocsin ${folder}/tocsin
mount -o remount,bind,ro /
mount -t proc -o subset=pid,hidepid=invisible proc /proc
umask 0077
cd ${folder}/tocsin
exec setpriv ${quoteForShell([...userOptions, ...privilegeOptions])} strace ${quoteForShell([...traceOptions, injectOption])} \\
  env -i ${quoteForShell([...unitVariables, ...variables, ...command])}
`;
}

/** Returns all system calls that the unit's filter refuses. */
export function listRefusedCalls(unit: string): readonly string[] {
  const groups = readCallGroups();
  const allowed = new Set<string>();
  const denied = new Set<string>();
  for (const value of getUnitValues(unit, "SystemCallFilter")) {
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
function readCallGroups(): ReadonlyMap<string, readonly string[]> {
  const text = execFileSync("systemd-analyze", ["syscall-filter", "--no-pager"], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const groups = new Map<string, string[]>();
  let currentGroup: string[] = [];
  for (const line of text.split("\n")) {
    if (line.startsWith("@")) groups.set(line.trim(), (currentGroup = []));
    else if (/^ +[a-z@_0-9-]+$/i.test(line)) currentGroup.push(line.trim());
  }
  return groups;
}
