import { performance } from "node:perf_hooks";
import { processorUsOf } from "./processes.ts";
import { quantile } from "../test/campaigns/findings.ts";

/** The warm-up of the work, and the time that counts. */
export interface Span {
  readonly warmUpMs: number;
  readonly countedMs: number;
}

/** The figures of kept-busy work. */
export interface Busy {
  readonly [figure: string]: number;
  readonly perSecond: number;
  /** Processor time of the watched process for each piece of work. */
  readonly cpuUs: number;
  readonly medianMs: number;
  readonly p99Ms: number;
}

export interface BusyOptions {
  readonly inFlight: number;
  readonly span: Span;
  /** The process whose processor time counts; by default this one. */
  readonly pid?: number;
  /** The pieces of work in one call; by default 1. */
  readonly size?: number;
}

/**
 * Keeps this many pieces of work under way and returns how many of them ended per second, and how long they took. A
 * failed piece aborts, because errors are not work.
 */
export async function keepBusy(
  { inFlight, span, pid = process.pid, size = 1 }: BusyOptions,
  work: (place: number) => Promise<void>,
): Promise<Busy> {
  const state = { isOver: false, took: [] as number[] };
  const loop = async (place: number): Promise<void> => {
    while (!state.isOver) {
      const since = performance.now();
      await work(place);
      state.took.push(performance.now() - since);
    }
  };
  const loops = Promise.all(Array.from({ length: inFlight }, (_, place) => loop(place)));
  await Promise.race([loops, later(span.warmUpMs)]);
  state.took = [];
  const [since, cpuUs] = [performance.now(), processorUsOf(pid)];
  await Promise.race([loops, later(span.countedMs)]);
  const { took } = state;
  state.took = [];
  const seconds = (performance.now() - since) / 1_000;
  const usedUs = processorUsOf(pid) - cpuUs;
  state.isOver = true;
  await loops;
  const count = took.length * size;
  return {
    perSecond: count / seconds,
    cpuUs: usedUs / count,
    medianMs: quantile(took, 0.5) ?? 0,
    p99Ms: quantile(took, 0.99) ?? 0,
  };
}

async function later(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}
