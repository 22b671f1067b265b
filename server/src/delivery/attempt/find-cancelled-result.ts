import type { AttemptDeps } from "../deps.ts";
import type { TryInput } from "./try-input.ts";
import { toFinalTryResult, type TryResult } from "./try-result.ts";

/**
 * Returns the result of a device if an act, such as an acknowledgement, has made the push unnecessary; null otherwise.
 * If the database cannot be read, returns null, so that the alarm is sent.
 */
export async function findCancelledResult(
  deps: AttemptDeps,
  { job, dueDevice }: Pick<TryInput, "job" | "dueDevice">,
): Promise<TryResult | null> {
  if (job.notification.interaction === null) return null;
  try {
    const code = await deps.findAct(job.notification);
    if (code === null) return null;
    const { pendingDevice, target } = dueDevice;
    const { deviceId, attempts, history } = pendingDevice;
    const result = { deviceId, provider: target.provider, detail: null, attempts, at: deps.now() };
    const attemptHistory = history === undefined ? {} : { history };
    return toFinalTryResult({ ...result, state: "cancelled", code, ...attemptHistory });
  } catch (error) {
    deps.log.warn({ err: error }, "an incident could not be read before an attempt");
    return null;
  }
}
