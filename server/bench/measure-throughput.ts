import { performance } from "node:perf_hooks";
import { readCpuUs } from "./process-figures.ts";
import { computeQuantile } from "../test/campaigns/findings.ts";

/** The durations of the warm-up and of the measurement. */
export interface MeasurementDurations {
  readonly warmUpMs: number;
  readonly measuredMs: number;
}

/** The rate, the cost and the latency of continuous work. */
export interface ThroughputFigures {
  readonly [figure: string]: number;
  readonly perSecond: number;
  /** CPU time of the measured process per piece of work. */
  readonly cpuUs: number;
  readonly medianMs: number;
  readonly p99Ms: number;
}

/** The concurrency and the durations of a measurement. */
export interface ThroughputOptions {
  readonly concurrency: number;
  readonly durations: MeasurementDurations;
  /** The process whose CPU time is measured. Default: this process. */
  readonly pid?: number;
  /** The number of pieces of work per call. Default: 1. */
  readonly batchSize?: number;
}

/**
 * Keeps `concurrency` pieces of work running, and measures how many end per second and how long they take. A failed
 * piece aborts the measurement.
 */
export async function measureThroughput(
  { concurrency, durations, pid = process.pid, batchSize = 1 }: ThroughputOptions,
  work: (index: number) => Promise<void>,
): Promise<ThroughputFigures> {
  const state = { isFinished: false, durationsMs: [] as number[] };
  const repeatWork = async (index: number): Promise<void> => {
    while (!state.isFinished) {
      const startedAt = performance.now();
      await work(index);
      state.durationsMs.push(performance.now() - startedAt);
    }
  };
  const allWork = Promise.all(Array.from({ length: concurrency }, (_, index) => repeatWork(index)));
  await Promise.race([allWork, delay(durations.warmUpMs)]);
  state.durationsMs = [];
  const startedAt = performance.now();
  const cpuUsBefore = readCpuUs(pid);
  await Promise.race([allWork, delay(durations.measuredMs)]);
  const { durationsMs } = state;
  state.durationsMs = [];
  const seconds = (performance.now() - startedAt) / 1_000;
  const usedCpuUs = readCpuUs(pid) - cpuUsBefore;
  state.isFinished = true;
  await allWork;
  const count = durationsMs.length * batchSize;
  return {
    perSecond: count / seconds,
    cpuUs: usedCpuUs / count,
    medianMs: computeQuantile(durationsMs, 0.5) ?? 0,
    p99Ms: computeQuantile(durationsMs, 0.99) ?? 0,
  };
}

async function delay(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}
