import { performance } from "node:perf_hooks";
import type { Round } from "./case.ts";

/** How long work goes on before it counts, and while it does. */
export interface Span {
  readonly warmUpMs: number;
  readonly countedMs: number;
}

/**
 * Keeps so many pieces of work under way and returns how many of them ended in a second. A piece that fails ends it all:
 * errors are no work.
 */
export async function keepBusy(
  { inFlight, span }: { readonly inFlight: number; readonly span: Span },
  work: () => Promise<void>,
): Promise<Round> {
  const state = { isOver: false, done: 0 };
  const loop = async (): Promise<void> => {
    while (!state.isOver) {
      await work();
      state.done += 1;
    }
  };
  const loops = Promise.all(Array.from({ length: inFlight }, loop));
  await Promise.race([loops, later(span.warmUpMs)]);
  const [before, since, cpu] = [state.done, performance.now(), process.cpuUsage()];
  await Promise.race([loops, later(span.countedMs)]);
  const count = state.done - before;
  const seconds = (performance.now() - since) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  state.isOver = true;
  await loops;
  return { perSecond: count / seconds, cpuUs: (user + system) / count };
}

async function later(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}
