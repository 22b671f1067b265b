import { performance } from "node:perf_hooks";
import { processorUsOf } from "./processes.ts";
import { quantile } from "../test/campaigns/findings.ts";

/** How long work goes on before it counts, and while it does. */
export interface Span {
  readonly warmUpMs: number;
  readonly countedMs: number;
}

/** What keeping busy came to. */
export interface Busy {
  readonly [figure: string]: number;
  readonly perSecond: number;
  /** Processor time for each piece of work: of the process that is watched. */
  readonly cpuUs: number;
  readonly medianMs: number;
  readonly p99Ms: number;
}

export interface BusyOptions {
  readonly inFlight: number;
  readonly span: Span;
  /** The process whose processor time counts; this one if not given. */
  readonly pid?: number;
  /** What one call of the work counts for; 1 if not given. */
  readonly size?: number;
}

/**
 * Keeps so many pieces of work under way and returns how many of them ended in a second, and how long they took. A piece that
 * fails ends it all: errors are no work.
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
