import type { Provider } from "#providers/provider.ts";
import type { AttemptDeps } from "../deps.ts";
import { attempt } from "./attempt.ts";
import { createFetchedResult } from "./fetched-result.ts";
import { findCancelledResult } from "./find-cancelled-result.ts";
import type { TryInput } from "./try-input.ts";
import { getReportedDeviceState, recordKeptOutcome, type TryResult } from "./try-result.ts";

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
  if (cancelled !== null) return withdraw(input, cancelled);
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

/** Withdraws the message from the mailbox, unless the device has fetched it meanwhile. Returns the result. */
async function withdraw(
  { dueDevice: { pendingDevice }, job, provider }: TryInput & { readonly provider: Provider },
  cancelled: TryResult,
): Promise<TryResult> {
  const fetched = await provider.withdraw?.(job.notification.id, pendingDevice.deviceId);
  if (fetched === undefined || fetched === null) return cancelled;
  const report = { kind: "final", result: createFetchedResult(pendingDevice, fetched) } as const;
  return { report, deviceState: getReportedDeviceState(report) };
}
