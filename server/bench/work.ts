import { performance } from "node:perf_hooks";
import { readProcessorUs } from "./processes.ts";
import { quantile } from "../test/campaigns/findings.ts";

/** Duration of the warm-up and of the measurement. */
export interface Duration {
  readonly warmUpMs: number;
  readonly measuredMs: number;
}

/** The figures of continuous work. */
export interface WorkFigures {
  readonly [figure: string]: number;
  readonly perSecond: number;
  /** Processor time of the measured process per piece of work. */
  readonly cpuUs: number;
  readonly medianMs: number;
  readonly p99Ms: number;
}

export interface BusyOptions {
  readonly inFlight: number;
  readonly duration: Duration;
  /** The process whose processor time counts; by default this one. */
  readonly pid?: number;
  /** The pieces of work in one call; by default 1. */
  readonly size?: number;
}

/**
 * Keeps `inFlight` pieces of work running, and measures how many end per second and how long they take. A failed
 * piece aborts the measurement.
 */
export async function keepBusy(
  { inFlight, duration, pid = process.pid, size = 1 }: BusyOptions,
  work: (index: number) => Promise<void>,
): Promise<WorkFigures> {
  const state = { isOver: false, took: [] as number[] };
  const loop = async (index: number): Promise<void> => {
    while (!state.isOver) {
      const since = performance.now();
      await work(index);
      state.took.push(performance.now() - since);
    }
  };
  const loops = Promise.all(Array.from({ length: inFlight }, (_, index) => loop(index)));
  await Promise.race([loops, delay(duration.warmUpMs)]);
  state.took = [];
  const [since, cpuUs] = [performance.now(), readProcessorUs(pid)];
  await Promise.race([loops, delay(duration.measuredMs)]);
  const { took: durationsMs } = state;
  state.took = [];
  const seconds = (performance.now() - since) / 1_000;
  const usedUs = readProcessorUs(pid) - cpuUs;
  state.isOver = true;
  await loops;
  const count = durationsMs.length * size;
  return {
    perSecond: count / seconds,
    cpuUs: usedUs / count,
    medianMs: quantile(durationsMs, 0.5) ?? 0,
    p99Ms: quantile(durationsMs, 0.99) ?? 0,
  };
}

async function delay(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}
