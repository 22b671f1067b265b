import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { availableParallelism } from "node:os";

/** True if processes can be pinned to a core (util-linux). */
export const CAN_PIN =
  availableParallelism() > 1 && spawnSync("taskset", ["--version"]).status === 0;

/** Which core a process runs on: the one for the measured process, the one for the other side, or any. */
export type Core = "measured" | "other" | "any";

/** Returns the command prefix that pins a program to the core; empty if pinning is unavailable. */
export function tasksetPrefix(core: Core): readonly string[] {
  if (!CAN_PIN) return [];
  const last = availableParallelism() - 1;
  const cores = { measured: "0", other: String(last), any: `0-${last}` }[core];
  return ["taskset", "-c", cores];
}

/** Starts Node with these arguments on a core, with an IPC channel. */
export function startPinned(args: readonly string[], core: Core): ChildProcess {
  const [program = "", ...rest] = [...tasksetPrefix(core), process.execPath, ...args];
  return spawn(program, rest, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
}
