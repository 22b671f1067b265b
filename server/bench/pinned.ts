import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { availableParallelism } from "node:os";

/** True if processes can be pinned to a core (util-linux). */
export const IS_PINNED =
  availableParallelism() > 1 && spawnSync("taskset", ["--version"]).status === 0;

/** The core of a process: that of the measured process, that of the other side, or any. */
export type Core = "measured" | "other" | "any";

/** Returns the command prefix that pins a program to the core; empty if pinning is unavailable. */
export function underCore(core: Core): readonly string[] {
  if (!IS_PINNED) return [];
  const last = availableParallelism() - 1;
  const cores = { measured: "0", other: String(last), any: `0-${last}` }[core];
  return ["taskset", "-c", cores];
}

/** Starts Node with these arguments on the core; messages go both ways. */
export function startPinned(args: readonly string[], core: Core): ChildProcess {
  const [program = "", ...rest] = [...underCore(core), process.execPath, ...args];
  return spawn(program, rest, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
}
