import { readFileSync } from "node:fs";

/** USER_HZ is 100 on every Linux that Node runs on. */
const TICK_US = 10_000;

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
