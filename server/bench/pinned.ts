import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { availableParallelism } from "node:os";

/** True where processes can be bound to a core (util-linux). */
export const IS_PINNED =
  availableParallelism() > 1 && spawnSync("taskset", ["--version"]).status === 0;

/** Whose processor a process computes on: that of what is measured, that of the other side, or any. */
export type Core = "measured" | "other" | "any";

/** Returns the program, with its arguments, that starts another one there; none where nothing can be bound. */
export function underCore(core: Core): readonly string[] {
  if (!IS_PINNED) return [];
  const last = availableParallelism() - 1;
  const cores = { measured: "0", other: String(last), any: `0-${last}` }[core];
  return ["taskset", "-c", cores];
}

/** Starts Node with these arguments there; messages go both ways. */
export function startPinned(args: readonly string[], core: Core): ChildProcess {
  const [program = "", ...rest] = [...underCore(core), process.execPath, ...args];
  return spawn(program, rest, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
}
