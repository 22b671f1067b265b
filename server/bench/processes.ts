import { readdirSync, readFileSync } from "node:fs";

/** USER_HZ is 100 on every Linux that Node runs on. */
const TICK_US = 10_000;

/** Returns the resident memory of a process in MB; NaN elsewhere than on Linux. */
export function residentMbOf(pid: number): number {
  return numberIn(`/proc/${pid}/status`, /^VmRSS:\s+(\d+) kB/m) / 1_024;
}

/** Returns the bytes that a process caused to be sent to storage (proc_pid_io(5)). */
export function writtenBy(pid: number): number {
  return numberIn(`/proc/${pid}/io`, /^write_bytes: (\d+)/m);
}

/** Returns how many descriptors a process has open. */
export function descriptorsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

function numberIn(path: string, pattern: RegExp): number {
  return Number(pattern.exec(readFileSync(path, "utf8"))?.[1] ?? Number.NaN);
}
/** Returns the microseconds of processor time that a process has used, all of its threads together; NaN elsewhere than on Linux. */
export function processorUsOf(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // proc_pid_stat(5): behind the name in parentheses, fields 14 and 15 are the 12th and 13th.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) * TICK_US;
  } catch {
    return Number.NaN;
  }
}
