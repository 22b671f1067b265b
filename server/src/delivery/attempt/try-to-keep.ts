import type { Provider } from "#providers/provider.ts";
import type { AttemptDeps } from "../deps.ts";
import { attempt } from "./attempt.ts";
import { findCancelledResult } from "./find-cancelled-result.ts";
import type { TryInput } from "./try-input.ts";
import { recordKeptOutcome, type TryResult } from "./try-result.ts";

/**
 * Tries a device whose provider keeps messages; null if no attempt may begin any more. The try takes no permit, waits
 * for no other message to the device, and asks no breaker, because no push service is called.
 */
export async function tryToKeep(
  deps: AttemptDeps,
  input: TryInput & { readonly provider: Provider },
): Promise<TryResult | null> {
  const { dueDevice, job, heldLease, provider, writeMark, allowNext } = input;
  allowNext();
  if (!heldLease.mayBeginRequest()) return null;
  if (writeMark !== null && !(await writeMark())) return null;
  const cancelled = await findCancelledResult(deps, input);
  if (cancelled !== null) return cancelled;
  const { target } = dueDevice;
  const outcome = await attempt(deps, {
    provider,
    notification: job.notification,
    waitForPacer: null,
    target,
    signal: heldLease.signal,
  });
  const service = provider.getServiceName(target.address);
  return recordKeptOutcome(deps, { job, dueDevice, service, outcome });
}
