import { setTimeout as wait } from "node:timers/promises";
import type { Round } from "../case.ts";
import { readProcessorUs, readResidentMb, readWrittenBytes } from "../processes.ts";

/** Time until start-up work has finished. */
const SETTLE_MS = 15_000;
const MEASURE_MS = 60_000;

/** Watches a server without any requests. */
export async function work({ pid }: { readonly pid: number }): Promise<Round> {
  await wait(SETTLE_MS);
  const [beforeUs, beforeBytes, since] = [
    readProcessorUs(pid),
    readWrittenBytes(pid),
    performance.now(),
  ];
  await wait(MEASURE_MS);
  const seconds = (performance.now() - since) / 1_000;
  return {
    residentMb: readResidentMb(pid),
    processorPercent: (readProcessorUs(pid) - beforeUs) / seconds / 10_000,
    writtenKb: (readWrittenBytes(pid) - beforeBytes) / 1_024,
  };
}
