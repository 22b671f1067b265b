// Figures of a process on Linux (proc(5)). Elsewhere every figure is NaN, so that the others can still be measured.
import { readdirSync, readFileSync } from "node:fs";
import { TICK_MS } from "../test/support/own-time.ts";

const IS_LINUX = process.platform === "linux";

/** Returns the resident memory of a process in MB. */
export function residentMbOf(pid: number): number {
  return numberIn(read(pid, "status"), /^VmRSS:\s+(\d+) kB/m) / 1_024;
}

/** Returns the bytes that a process caused to be sent to storage (proc_pid_io(5)). */
export function writtenBy(pid: number): number {
  return numberIn(read(pid, "io"), /^write_bytes: (\d+)/m);
}

/** Returns how many open descriptors a process has. */
export function descriptorsOf(pid: number): number {
  return IS_LINUX ? readdirSync(`/proc/${pid}/fd`).length : Number.NaN;
}

/** Returns the processor time of a process in microseconds, over all of its threads. */
export function processorUsOf(pid: number): number {
  const text = read(pid, "stat");
  // proc_pid_stat(5): after the name in parentheses, fields 14 and 15 are the 12th and 13th.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS * 1_000;
}

function read(pid: number, name: string): string {
  return IS_LINUX ? readFileSync(`/proc/${pid}/${name}`, "utf8") : "";
}

function numberIn(text: string, pattern: RegExp): number {
  return Number(pattern.exec(text)?.[1] ?? Number.NaN);
}
