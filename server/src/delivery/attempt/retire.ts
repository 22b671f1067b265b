import { hashAddress } from "#devices/address.ts";
import { findDevicesInAudience } from "#devices/audiences/store/audience-devices.ts";
import type { Target } from "#devices/device.ts";
import { retireGoneDevice } from "#devices/store/retirement.ts";
import type { Conclusion } from "./conclude.ts";
import type { PendingDevice } from "../delivery.ts";
import { explainCode } from "../explain.ts";
import { getResultHistory, type History } from "../history.ts";
import type { AttemptDeps } from "../deps.ts";
import { ATTEMPTS_MAX, computeRetryDelayMs } from "./retry.ts";
import type { Report } from "../result/watch.ts";

/** Delay before a device that could not be retired is tried again. Its push service then responds the same. */
const RETRY_MS = 30_000;

/** A device that its push service reported as gone. */
export interface RetireInput {
  readonly target: Target;
  /** The id of the notification whose attempt found the device gone. */
  readonly notificationId: string;
  /** The device's state before the attempt. */
  readonly pendingDevice: PendingDevice;
  readonly conclusion: Conclusion & { readonly kind: "retire" };
}

/**
 * Retires a device whose address is gone, and returns the result. A device that was registered again meanwhile is kept.
 * If no attempt at such a device had failed before, the device is retried immediately; otherwise with growing delays,
 * up to the maximum number of attempts.
 */
export async function retire(deps: AttemptDeps, input: RetireInput): Promise<Report> {
  const { conclusion, target, pendingDevice } = input;
  const { accountId, deviceId } = target;
  const attempted = {
    deviceId,
    attempts: pendingDevice.attempts + 1,
    tries: pendingDevice.tries + 1,
    crashes: pendingDevice.crashes,
    waitsFor: null,
  };
  const retry = { ...attempted, code: "transient" as const };
  try {
    if (await retireTarget(deps, input)) {
      deps.onDeviceRetired({ accountId, deviceId });
      return { kind: "final", result: conclusion.result };
    }
    const audience = { kind: "device", accountId, deviceId } as const;
    const targets = await findDevicesInAudience(deps, audience, { deviceIds: [deviceId] });
    // The device is already gone, for example after the response to another message.
    if (targets.length === 0) return { kind: "final", result: conclusion.result };
  } catch (error) {
    deps.log.warn({ err: error, deviceId }, "a device cannot be retired yet");
    const runAt = deps.now() + RETRY_MS;
    const history = setHistoryRetryAt(runAt, conclusion);
    return { kind: "pending", pending: { ...retry, runAt, detail: null, history } };
  }
  return retryRegisteredAgain(deps, input, retry);
}

/** Returns the history of a device that is retried although its push service reported it as gone. */
function setHistoryRetryAt(nextAt: number, { result }: RetireInput["conclusion"]): History {
  const { attempts, leftOut } = getResultHistory(result);
  const last = attempts.slice(-1).map((attempt) => ({ ...attempt, nextAt }));
  return { attempts: [...attempts.slice(0, -1), ...last], leftOut };
}

const REGISTERED_AGAIN = "the device registered again";

function retryRegisteredAgain(
  { now, random }: AttemptDeps,
  { target: { provider }, pendingDevice, conclusion }: RetireInput,
  retry: Omit<PendingDevice, "runAt" | "detail" | "code"> & { readonly code: "transient" },
): Report {
  if (retry.attempts >= ATTEMPTS_MAX[provider]) {
    const detail = explainCode({ provider, code: retry.code, detail: REGISTERED_AGAIN });
    const end = { state: "failed", code: "gave_up", detail } as const;
    const history = getResultHistory(conclusion.result);
    return { kind: "final", result: { ...conclusion.result, ...end, history } };
  }
  const isFirst = pendingDevice.tries === 0;
  const waitMs = isFirst
    ? 0
    : computeRetryDelayMs({ ...retry, provider, afterMs: null, random: random() });
  const runAt = now() + waitMs;
  const history = setHistoryRetryAt(runAt, conclusion);
  return { kind: "pending", pending: { ...retry, runAt, detail: REGISTERED_AGAIN, history } };
}

function retireTarget(
  deps: AttemptDeps,
  { target, conclusion: { asOf, result }, notificationId }: RetireInput,
): Promise<boolean> {
  const { accountId, deviceId } = target;
  const addressHash = hashAddress(target.address);
  const gone = { accountId, deviceId, addressHash, asOf, reason: result.code, notificationId };
  return retireGoneDevice(deps, gone);
}
