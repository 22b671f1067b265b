import { isQuarantined, isUntouched } from "../delivery.ts";
import type { WorkerDeps } from "../deps.ts";
import { deliver, type DeliverInput } from "./deliver.ts";
import { deliverQuarantined } from "./deliver-quarantined.ts";
import { expand } from "./expand.ts";
import { writeDurably } from "./settle.ts";

export interface JobInput extends DeliverInput {
  /** True where the job was claimed: the process that accepted it did not begin it. */
  readonly isTakenOver: boolean;
}

/** Does the work of a job. Returns when the job is due again, or null where nothing of it is left. */
export async function runJob(deps: WorkerDeps, input: JobInput): Promise<number | null> {
  const { job, held, isTakenOver } = input;
  if (isTakenOver && isUntouched(job)) {
    await writeDurably(deps, () => deps.fileLate(job), held.signal);
  }
  if (isQuarantined(job)) return deliverQuarantined(deps, input);
  if (job.work.kind !== "expand") return deliver(deps, input);
  await expand(deps, { job, held, inStep: (step) => step() });
  return deps.now();
}
