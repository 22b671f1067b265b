import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { availableParallelism } from "node:os";

/** True if processes can be pinned to a core (util-linux). */
export const CAN_PIN =
  availableParallelism() > 1 && spawnSync("taskset", ["--version"]).status === 0;

/** The core that a process runs on: the core of the measured process, the core of all others, or any core. */
export type Core = "measured" | "other" | "any";

/** Returns the command prefix that pins a program to the core; empty if pinning is unavailable. */
export function getTasksetPrefix(core: Core): readonly string[] {
  if (!CAN_PIN) return [];
  const lastCore = availableParallelism() - 1;
  const cores = { measured: "0", other: String(lastCore), any: `0-${lastCore}` }[core];
  return ["taskset", "-c", cores];
}

/** Starts Node with these arguments on a core, with an IPC channel. */
export function startPinned(args: readonly string[], core: Core): ChildProcess {
  const [program = "", ...programArgs] = [...getTasksetPrefix(core), process.execPath, ...args];
  return spawn(program, programArgs, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
}
