import { readFileSync } from "node:fs";

/** Linux, proc_stat(5). */
const PROC_STAT = "/proc/stat";

/**
 * Starts a timer. Returns a function that returns the elapsed milliseconds without steal time, the time in which the
 * host ran other virtual machines. Work that takes two seconds on a dedicated machine takes five if the machine gets
 * two fifths of the processor. On systems other than Linux, the function returns the elapsed time.
 */
export function startStealFreeTimer(): () => number {
  const startedAt = performance.now();
  const before = readProcessorTimes();
  return () =>
    subtractStealTime(performance.now() - startedAt, { before, after: readProcessorTimes() });
}

/** Above this share of steal time, short measurements are not meaningful. */
export const STEAL_SHARE_MAX = 0.1;

/** Returns a function that returns the stolen share, 0 to 1, of the processor time requested since this call. */
export function watchStealShare(): () => number {
  const before = readProcessorTimes();
  return () => computeStealShare(before, readProcessorTimes());
}

/** Returns the milliseconds without the stolen share, but never less than after subtracting all stolen time. */
export function subtractStealTime(
  ms: number,
  { before, after }: { readonly before: ProcessorTimes; readonly after: ProcessorTimes },
): number {
  const stolenMs = Math.max(0, after.stolen - before.stolen) * TICK_MS;
  return Math.max(ms * (1 - computeStealShare(before, after)), ms - stolenMs);
}

/** The unit of processor time in /proc: USER_HZ is 100 on every Linux that Node runs on. */
export const TICK_MS = 10;

/** Ticks of all processors since the machine started. */
export interface ProcessorTimes {
  readonly used: number;
  readonly stolen: number;
}

/** Returns the stolen share of the processor time requested between two readings. */
export function computeStealShare(before: ProcessorTimes, after: ProcessorTimes): number {
  const stolenTicks = Math.max(0, after.stolen - before.stolen);
  const usedTicks = Math.max(0, after.used - before.used);
  return stolenTicks === 0 ? 0 : stolenTicks / (stolenTicks + usedTicks);
}

function readProcessorTimes(): ProcessorTimes {
  try {
    return parseProcessorTimes(readFileSync(PROC_STAT, "utf8"));
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
