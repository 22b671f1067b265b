import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { Scope } from "./scope.ts";

/** A script with files of its own: what it mounts, nobody else sees. */
export interface Enclosed {
  readonly pid: number;
  /** All it has said. */
  said(): string;
  /** True from its end on. */
  isOver(): boolean;
  /** Resolves with its exit code. */
  readonly ended: Promise<number | null>;
}

/** Runs a shell script with files of its own, and what else `unshare` is asked for; all its processes end with the scope. */
export function runEnclosed(
  scope: Scope,
  script: string,
  options: readonly string[] = [],
): Enclosed {
  const own = ["--mount", "--propagation=private", ...options];
  const child = spawn("unshare", [...own, "sh", "-eu", script], {
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const ended = once(child, "exit").then(([code]) => code as number | null); // Node's signature.
  scope.after(async () => {
    // All of its group: who changes its user outlives its parent.
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    await ended;
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (said += text));
  }
  return { pid: child.pid ?? 0, said: () => said, isOver: () => child.exitCode !== null, ended };
}

/** Returns the one process that another has started. */
export async function childOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
  const [child = ""] = text.trim().split(" ");
  if (child === "") throw new Error(`Process ${pid} has no child.`);
  return Number(child);
}

/** Returns words as a shell reads them back. */
export function quoted(words: readonly string[]): string {
  return words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
}
