import { ManualScope } from "../../test/support/scope.ts";
import type { Round } from "../case.ts";
import { readCpuUs } from "../process-figures.ts";
import { getProgram } from "../programs/find-programs.ts";
import type { PeerName, StartOptions } from "../programs/program.ts";

/** The start options of each server, and the name of the chosen server. */
export interface StartProgramInput {
  readonly starts: Readonly<Partial<Record<PeerName, StartOptions>>>;
  readonly target: PeerName;
}

/** Starts the server of another project on the data of an earlier start, and waits until it is ready. */
export async function measureRound({ starts, target }: StartProgramInput): Promise<Round> {
  const options = starts[target];
  if (options === undefined) throw new Error(`There is no ${target}.`);
  const scope = new ManualScope();
  try {
    const startedAt = performance.now();
    const { pid } = await getProgram(target).start(scope, options);
    const startMs = performance.now() - startedAt;
    return { startMs, processorMs: readCpuUs(pid) / 1_000 };
  } finally {
    await scope.end();
  }
}
