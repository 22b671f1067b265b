import { setTimeout as wait } from "node:timers/promises";
import type { Round } from "../case.ts";
import { measureProcessorPercent, readResidentMb, readWrittenBytes } from "../process-figures.ts";

/** Time until start-up work has finished. */
const SETTLE_MS = 15_000;
const MEASURE_MS = 60_000;

/** The processes of the servers, and the name of the chosen server. */
export interface IdleInput {
  readonly pids: Readonly<Record<string, number>>;
  readonly target: string;
}

/** Watches a server without any requests. */
export async function measureRound({ pids, target }: IdleInput): Promise<Round> {
  const pid = pids[target];
  if (pid === undefined) throw new Error(`There is no ${target}.`);
  await wait(SETTLE_MS);
  const writtenBytesBefore = readWrittenBytes(pid);
  const processorPercent = await measureProcessorPercent(pid, MEASURE_MS);
  return {
    residentMb: readResidentMb(pid),
    processorPercent,
    writtenKb: (readWrittenBytes(pid) - writtenBytesBefore) / 1_024,
  };
}
