// Figures of a process on Linux (proc(5)). On other systems they are NaN, so that the other figures can still be measured.
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { TICK_MS } from "../test/support/steal-time.ts";

const IS_LINUX = process.platform === "linux";
/** One percent of a core is this much processor time in each second. */
const US_PER_SECOND_IN_ONE_PERCENT = 10_000;

/** Reads the resident memory of a process in MB. */
export function readResidentMb(pid: number): number {
  return parseNumber(readProcFile(pid, "status"), /^VmRSS:\s+(\d+) kB/m) / 1_024;
}

/** Reads the number of bytes that a process wrote to storage (proc_pid_io(5)). */
export function readWrittenBytes(pid: number): number {
  return parseNumber(readProcFile(pid, "io"), /^write_bytes: (\d+)/m);
}

/** Counts the open file descriptors of a process. */
export function countDescriptors(pid: number): number {
  return IS_LINUX ? readdirSync(`/proc/${pid}/fd`).length : Number.NaN;
}

/** Reads the processor time of all threads of a process, in microseconds. */
export function readCpuUs(pid: number): number {
  const text = readProcFile(pid, "stat");
  // proc_pid_stat(5): after the name in parentheses, fields 14 and 15 are the 12th and 13th.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS * 1_000;
}

/** Measures which share of one core a process takes in the next `durationMs`, in percent. */
export async function measureProcessorPercent(pid: number, durationMs: number): Promise<number> {
  const cpuUsBefore = readCpuUs(pid);
  const startedAt = performance.now();
  await wait(durationMs);
  const seconds = (performance.now() - startedAt) / 1_000;
  return (readCpuUs(pid) - cpuUsBefore) / seconds / US_PER_SECOND_IN_ONE_PERCENT;
}

function readProcFile(pid: number, name: string): string {
  return IS_LINUX ? readFileSync(`/proc/${pid}/${name}`, "utf8") : "";
}

function parseNumber(text: string, pattern: RegExp): number {
  return Number(pattern.exec(text)?.[1] ?? Number.NaN);
}
