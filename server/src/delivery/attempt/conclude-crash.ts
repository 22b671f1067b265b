import type { ProviderName } from "#providers/provider.ts";
import type { DeliveryResult, NewNotification, PendingDevice } from "../delivery.ts";
import type { AttemptDeps } from "../deps.ts";
import { appendAttempt } from "../history.ts";
import type { Report } from "../result/watch.ts";

/** Number of crashes in a row that ends a delivery or a whole job. A single crash may be an accident of the machine. */
export const CRASHES_MAX = 2;
/** Delay before the next attempt, so that other devices of the job are tried first. */
const RETRY_MS = 10_000;
/** Largest random share of `RETRY_MS` that is added to it. */
const JITTER_SHARE = 0.2;

/** A device that was being tried when the process died. */
export interface CrashInput {
  /** The device's state before that attempt. */
  readonly pendingDevice: PendingDevice;
  readonly provider: ProviderName;
  readonly notification: NewNotification;
}

/** Returns the report of a device that was being tried when the process died. */
export function concludeCrash(
  { now, random }: Pick<AttemptDeps, "now" | "random">,
  { pendingDevice, provider, notification }: CrashInput,
): Report {
  const { deviceId } = pendingDevice;
  const at = now();
  const crashes = pendingDevice.crashes + 1;
  // The interrupted attempt failed, and it counts against the device.
  const attempts = pendingDevice.attempts + 1;
  const tries = pendingDevice.tries + 1;
  const isLast = crashes >= CRASHES_MAX;
  const retryAt = Math.round(at + RETRY_MS * (1 + JITTER_SHARE * random()));
  const runAt = Math.min(retryAt, notification.expiresAt);
  const attempt = { kind: "retry", at, ...CRASH_REASON, nextAt: isLast ? null : runAt } as const;
  const deviceAfterAttempt = {
    ...pendingDevice,
    attempts,
    history: appendAttempt(pendingDevice.history, attempt),
  };
  if (isLast)
    return {
      kind: "final",
      result: createCrashedResult({ pendingDevice: deviceAfterAttempt, provider, at }),
    };
  const pending = {
    ...deviceAfterAttempt,
    deviceId,
    tries,
    crashes,
    runAt,
    ...CRASH_REASON,
    waitsFor: null,
  };
  return { kind: "pending", pending };
}

/** Returns the result of a device whose delivery ends because the device or its message crashes the process. */
export function createCrashedResult({
  pendingDevice: { deviceId, attempts, history },
  provider,
  at,
}: {
  readonly pendingDevice: PendingDevice;
  readonly provider: ProviderName;
  readonly at: number;
}): DeliveryResult {
  const attemptHistory = history === undefined ? {} : { history };
  return { deviceId, provider, state: "failed", ...CRASH_REASON, attempts, at, ...attemptHistory };
}

const CRASH_REASON = { code: "crashed", detail: null } as const;
