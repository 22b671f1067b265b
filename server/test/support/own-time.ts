import { readFileSync } from "node:fs";

/** Linux, proc_stat(5). */
const PROCESSOR_TIMES = "/proc/stat";

/**
 * Returns a function that returns the milliseconds since, without the share that the host of this virtual machine stole (steal
 * time): the same work takes two seconds on a dedicated machine, and five if the machine gets two fifths of the processor. On
 * systems other than Linux, returns the elapsed time.
 */
export function startOwnTime(): () => number {
  const [since, before] = [performance.now(), readProcessorTimes()];
  return () => ownPart(performance.now() - since, { before, after: readProcessorTimes() });
}

/** Above this stolen share, short measurements are not meaningful. */
export const STOLEN_MAX = 0.1;

/** Returns a function that returns the share of requested processor time that the host has stolen since, 0 to 1. */
export function watchStolenShare(): () => number {
  const before = readProcessorTimes();
  return () => stolenShare(before, readProcessorTimes());
}

/** Returns the part of the milliseconds that was not stolen; at least the rest after all stolen time is subtracted. */
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

/** Returns the stolen share of the processor time requested between two readings. */
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

/** Parses the first line of `/proc/stat`. */
export function parseProcessorTimes(text: string): ProcessorTimes {
  const [line = ""] = text.split("\n", 1);
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, stolen = 0] = line
    .split(/\s+/u)
    .slice(1)
    .map(Number);
  return { used: user + nice + system + irq + softirq, stolen };
}
