import type { Logger } from "pino";
import type { Mailbox } from "./mailbox.ts";
import type { Schedule } from "./schedule.ts";
import type { MessageProof } from "./store/proofs.ts";

/** The dependencies of the recording of proofs. */
export interface RecordProofsDeps {
  readonly mailbox: Pick<Mailbox, "recordProofs">;
  readonly log: Logger;
  readonly schedule: Schedule;
}

/** Delay after the database failed. */
const RETRY_MS = 1_000;

/** Never rejects: the proofs are recorded once the database can be written. */
export async function recordProofsWithRetries(
  deps: RecordProofsDeps,
  proofs: readonly MessageProof[],
): Promise<void> {
  if (proofs.length === 0) return;
  try {
    await deps.mailbox.recordProofs(proofs);
  } catch (error) {
    deps.log.warn({ err: error }, "the proofs of an app cannot be recorded yet");
    deps.schedule(RETRY_MS, () => void recordProofsWithRetries(deps, proofs));
  }
}
