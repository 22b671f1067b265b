import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { Scope } from "./scope.ts";

/** A script in its own mount namespace, so that its mounts are invisible to other processes. */
export interface IsolatedScript {
  readonly pid: number;
  /** Returns the script's output so far. */
  readOutput(): string;
  /** Returns whether the script has exited by itself, without being killed by a signal. */
  hasExited(): boolean;
  /** Resolves with the script's exit code. */
  readonly ended: Promise<number | null>;
}

/** Runs a shell script in its own mount namespace, with further options of `unshare`. All its processes end with the scope. */
export function runIsolatedScript(
  scope: Scope,
  script: string,
  options: readonly string[] = [],
): IsolatedScript {
  const unshareOptions = ["--mount", "--propagation=private", ...options];
  const child = spawn("unshare", [...unshareOptions, "sh", "-eu", script], {
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  // Node emits the exit code first.
  const ended = once(child, "exit").then(([code]) => code as number | null);
  scope.after(async () => {
    // The whole process group, because a child that changed its user outlives its parent.
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    await ended;
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  }
  return {
    pid: child.pid ?? 0,
    readOutput: () => output,
    hasExited: () => child.exitCode !== null,
    ended,
  };
}

/** Reads the id of a process's only child. */
export async function readChildPid(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
  const [child = ""] = text.trim().split(" ");
  if (child === "") throw new Error(`Process ${pid} has no child.`);
  return Number(child);
}

/** Quotes words for a shell. */
export function quoteForShell(words: readonly string[]): string {
  return words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
}
