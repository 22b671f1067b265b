import { readFileSync } from "node:fs";

/** Linux, proc_stat(5). */
const PROCESSOR_TIMES = "/proc/stat";

/**
 * Returns a function that says how many milliseconds went by since, less the part in which the host of this virtual machine gave the
 * processor to others: what needs two seconds on a machine of its own needs five on one that gets two fifths of the time, and
 * nothing about it has changed. Elsewhere than on Linux, all of them.
 */
export function startOwnTime(): () => number {
  const [since, before] = [performance.now(), readProcessorTimes()];
  return () => ownPart(performance.now() - since, { before, after: readProcessorTimes() });
}

/** Where the host gave a larger part of the processor to others, what short measurements say of times is about the host. */
export const STOLEN_MAX = 0.1;

/** Returns a function that says which part of the time that the processor was wanted the host gave to others since, 0 to 1. */
export function watchStolenShare(): () => number {
  const before = readProcessorTimes();
  return () => stolenShare(before, readProcessorTimes());
}

/** Returns which part of the milliseconds was not stolen; never less than what is left where all that was stolen stopped us. */
export function ownPart(
  ms: number,
  { before, after }: { readonly before: ProcessorTimes; readonly after: ProcessorTimes },
): number {
  const stolenMs = Math.max(0, after.stolen - before.stolen) * TICK_MS;
  return Math.max(ms * (1 - stolenShare(before, after)), ms - stolenMs);
}

/** The unit of processor time in /proc: USER_HZ is 100 on every Linux that Node runs on. */
export const TICK_MS = 10;

/** Ticks of all processors since the machine started. */
export interface ProcessorTimes {
  readonly used: number;
  readonly stolen: number;
}

/** Returns which part of what was wanted between the two was stolen. */
export function stolenShare(before: ProcessorTimes, after: ProcessorTimes): number {
  const stolen = Math.max(0, after.stolen - before.stolen);
  const used = Math.max(0, after.used - before.used);
  return stolen === 0 ? 0 : stolen / (stolen + used);
}

function readProcessorTimes(): ProcessorTimes {
  try {
    return parseProcessorTimes(readFileSync(PROCESSOR_TIMES, "utf8"));
  } catch {
    return { used: 0, stolen: 0 };
  }
}

/** Returns what the first line of `/proc/stat` says. */
export function parseProcessorTimes(text: string): ProcessorTimes {
  const [line = ""] = text.split("\n", 1);
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, stolen = 0] = line
    .split(/\s+/u)
    .slice(1)
    .map(Number);
  return { used: user + nice + system + irq + softirq, stolen };
}
