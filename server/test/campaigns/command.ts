import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { toProcessOptions, type Defect } from "./defect.ts";

const ENTRY = fileURLToPath(new URL("../../../cli/src/main.ts", import.meta.url));
const POLL_INTERVAL_MS = 100;

/** Options of a run of the `tocsin` command. */
export interface CommandOptions {
  readonly defect: Defect | null;
  readonly environment?: Readonly<Record<string, string>>;
}

/** The result of a command. */
export interface CommandResult {
  readonly output: string;
  /**
   * Peak memory in megabytes, last sampled up to 100 ms before the end; 0 if it was never sampled, as on systems
   * without proc(5).
   */
  readonly peakMemoryMb: number;
}

/** Runs `tocsin` to its end, as an operator would. Throws an error with its standard error output if it fails. */
export async function runCommand(
  args: readonly string[],
  { defect, environment = {} }: CommandOptions,
): Promise<CommandResult> {
  const defectOptions = toProcessOptions(defect);
  const child = spawn(process.execPath, [...defectOptions.flags, ENTRY, ...args], {
    env: { PATH: process.env["PATH"], ...defectOptions.environment, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let peakMemoryMb = 0;
  const pollTimer = setInterval(() => {
    void readPeakMb(child.pid).then((peak) => (peakMemoryMb = Math.max(peakMemoryMb, peak)));
  }, POLL_INTERVAL_MS);
  const [output, errorOutput] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    child.exitCode ?? once(child, "exit"),
  ]);
  clearInterval(pollTimer);
  if (child.exitCode !== 0) throw new Error(`tocsin ${args[0]}: ${errorOutput}`);
  return { output, peakMemoryMb };
}

/** Returns VmHWM of proc_pid_status(5), which is in KiB, in units of 1,000 KiB: about megabytes. */
async function readPeakMb(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Math.round(Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1_000);
}
