import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { withDefect, type Defect } from "./defect.ts";

const ENTRY = fileURLToPath(new URL("../../../cli/src/main.ts", import.meta.url));
const LOOK_EVERY_MS = 100;

export interface CommandOptions {
  readonly defect: Defect | null;
  readonly environment?: Readonly<Record<string, string>>;
}

/** The result of a command. */
export interface Ended {
  readonly output: string;
  /** The most memory that it held, in megabytes; 0 where the system does not tell. */
  readonly memoryMb: number;
}

/** Runs `tocsin` to its end, as an operator does; throws what it complained of where it fails. */
export async function runCommand(
  args: readonly string[],
  { defect, environment = {} }: CommandOptions,
): Promise<Ended> {
  const broken = withDefect(defect);
  const child = spawn(process.execPath, [...broken.flags, ENTRY, ...args], {
    env: { PATH: process.env["PATH"], ...broken.environment, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let memoryMb = 0;
  const looks = setInterval(() => {
    void peakOf(child.pid).then((peak) => (memoryMb = Math.max(memoryMb, peak)));
  }, LOOK_EVERY_MS);
  const [output, complaint] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    child.exitCode ?? once(child, "exit"),
  ]);
  clearInterval(looks);
  if (child.exitCode !== 0) throw new Error(`tocsin ${args[0]}: ${complaint}`);
  return { output, memoryMb };
}

/** proc_pid_status(5): VmHWM, in kB. */
async function peakOf(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Math.round(Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1_000);
}
