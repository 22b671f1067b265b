import { setTimeout as wait } from "node:timers/promises";
import type { Round } from "../case.ts";
import { processorUsOf, residentMbOf, writtenBy } from "../processes.ts";

/** Time until the work after a start is done. */
const SETTLES_MS = 15_000;
const WATCHED_MS = 60_000;

/** Watches a server without any requests. */
export async function work({ pid }: { readonly pid: number }): Promise<Round> {
  await wait(SETTLES_MS);
  const [beforeUs, beforeBytes, since] = [processorUsOf(pid), writtenBy(pid), performance.now()];
  await wait(WATCHED_MS);
  const seconds = (performance.now() - since) / 1_000;
  return {
    residentMb: residentMbOf(pid),
    processorPercent: (processorUsOf(pid) - beforeUs) / seconds / 10_000,
    writtenKb: (writtenBy(pid) - beforeBytes) / 1_024,
  };
}
