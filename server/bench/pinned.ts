import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { availableParallelism } from "node:os";

/** True where processes can be bound to a core (util-linux). */
export const IS_PINNED =
  availableParallelism() > 1 && spawnSync("taskset", ["--version"]).status === 0;

/** Starts Node with these arguments on one core, the first or the last, where that can be; messages go both ways. */
export function startPinned(args: readonly string[], core: "first" | "last"): ChildProcess {
  const number = core === "first" ? 0 : availableParallelism() - 1;
  const command = [
    ...(IS_PINNED ? ["taskset", "-c", String(number)] : []),
    process.execPath,
    ...args,
  ];
  const [program = "", ...rest] = command;
  return spawn(program, rest, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
}
