import { findDevicesInAudience } from "#devices/audiences/store/audience-devices.ts";
import type { PermitRequest, Provider } from "#providers/provider.ts";
import { BULK_LANE } from "../delivery.ts";
import type { AttemptDeps } from "../deps.ts";
import type { ServiceAdmission } from "../services/breakers-deps.ts";
import { NOTHING_FETCHED } from "../worker/fetched.ts";
import { triageTargets } from "../worker/triage.ts";
import { attempt } from "./attempt.ts";
import { findCancelledResult } from "./find-cancelled-result.ts";
import type { TryInput } from "./try-input.ts";
import { tryToKeep } from "./try-to-keep.ts";
import {
  recordOutcome,
  toFinalTryResult,
  createHeldResult,
  createPostponedResult,
  type MaybePromise,
  type TryResult,
} from "./try-result.ts";

/** Number of messages for which the queue of one device always has room. */
const QUEUE_ROOM_MIN = 4;
/** Maximum number of messages in the queue of one device. More messages are postponed and take no permits. */
const QUEUE_MAX = 256;
/**
 * Longest expected wait in the queue of one device. In a burst, a device that takes messages quickly gets them without
 * pauses.
 */
const QUEUE_WAIT_MAX_MS = 2_000;
/** Age after which a device is read again, because it may have been removed, paused or moved. */
const READ_AGE_MAX_MS = 1_000;
/** A time before every read, so that the device is read again. */
const NEVER_READ = Number.NEGATIVE_INFINITY;

/**
 * Tries one device and returns the result; null if no attempt may begin any more, so that the device stays unchanged. A
 * try waits in the device's queue, then for the breaker and a permit, and then makes the attempt. Because the queue
 * comes before the permit, a busy device holds no permits. A device whose queue is full is postponed.
 */
export function tryDevice(deps: AttemptDeps, input: TryInput): MaybePromise<TryResult | null> {
  const { dueDevice, job, readAt, allowNext } = input;
  const { deviceId } = dueDevice.target;
  const { deviceQueue } = deps;
  const provider = deps.providers.get(dueDevice.target.provider);
  if (provider === undefined) return null;
  if (provider.findFetched !== undefined) return tryToKeep(deps, { ...input, provider });
  const queueLength = deviceQueue.getLength(deviceId);
  if (isQueueFull(queueLength, deviceQueue.estimateWaitMs(deviceId))) {
    const messageDurationMs = deviceQueue.getDurationMs(deviceId);
    return createPostponedResult(dueDevice.pendingDevice, {
      notification: job.notification,
      messageDurationMs,
      now: deps.now(),
    });
  }
  if (queueLength > 0) allowNext();
  const queued = { ...input, provider, readAt: queueLength === 0 ? readAt : NEVER_READ };
  return deviceQueue.run(deviceId, () => tryWithLanePermit(deps, queued));
}

function isQueueFull(length: number, waitMs: number): boolean {
  if (length < QUEUE_ROOM_MIN) return false;
  return length >= QUEUE_MAX || waitMs > QUEUE_WAIT_MAX_MS;
}

interface QueuedTry extends TryInput {
  readonly provider: Provider;
}

/** Takes a permit of this process's limits for the provider, unless the provider has its own limits. */
async function tryWithLanePermit(deps: AttemptDeps, input: QueuedTry): Promise<TryResult | null> {
  const { provider, job, allowNext } = input;
  if (provider.acquirePermit !== undefined || provider.name === "stream")
    return admitAndTry(deps, input);
  const release = await deps.attemptLimits[provider.name].acquire(job.lane);
  try {
    allowNext();
    return await admitAndTry(deps, input);
  } finally {
    release();
  }
}

/** Asks the breaker before the wait for a permit of the provider, so that a held message takes no permit. */
function admitAndTry(deps: AttemptDeps, input: QueuedTry): MaybePromise<TryResult | null> {
  const { dueDevice, heldLease, provider } = input;
  const { pendingDevice, target } = dueDevice;
  if (!heldLease.mayBeginRequest()) return null;
  const service = provider.getServiceName(target.address);
  const admission = deps.breakers.admit(service, {
    deviceId: target.deviceId,
    isNew: pendingDevice.code === null,
    shouldAwaitFirst: provider.shouldProbeFirst === true,
  });
  const tryNow = (decided: ServiceAdmission) => tryIfAdmitted(deps, { ...input, service }, decided);
  return admission instanceof Promise ? admission.then(tryNow) : tryNow(admission);
}

function tryIfAdmitted(
  deps: AttemptDeps,
  input: QueuedTry & { readonly service: string },
  admission: ServiceAdmission,
): MaybePromise<TryResult | null> {
  if (admission.kind === "held") return createHeldResult(deps, { ...input, ...admission });
  const admitted = { ...input, isProbe: admission.isProbe };
  return input.provider.acquirePermit === undefined
    ? tryAfterAdmission(deps, admitted)
    : tryWithProviderPermit(deps, admitted);
}

interface AdmittedTry extends QueuedTry {
  readonly service: string;
  readonly isProbe: boolean;
}

/** Tries the device once its provider grants a permit. Records the provider's outcome if it grants none. */
async function tryWithProviderPermit(
  deps: AttemptDeps,
  input: AdmittedTry,
): Promise<TryResult | null> {
  const startedAt = deps.elapsed();
  const permit = await input.provider.acquirePermit?.(createPermitRequest(input));
  input.allowNext();
  if (permit?.kind === "none") {
    const { outcome } = permit;
    return recordOutcome(deps, { ...input, outcome, startedAt, isRetriedTogether: true });
  }
  try {
    return await tryAfterAdmission(deps, input);
  } finally {
    permit?.release();
  }
}

function createPermitRequest({ dueDevice, job, heldLease, allowNext }: AdmittedTry): PermitRequest {
  const { address, accountId } = dueDevice.target;
  const isBulk = job.lane === BULK_LANE;
  return { address, accountId, isBulk, signal: heldLease.signal, onLongWait: allowNext };
}

/** Checks the lease, the service and the device again, because they may have changed during the wait for a permit. */
function tryAfterAdmission(deps: AttemptDeps, input: AdmittedTry): Promise<TryResult | null> {
  const { dueDevice, heldLease, service, isProbe, readAt } = input;
  const { breakers, elapsed } = deps;
  if (!heldLease.mayBeginRequest()) return recordNotSent(deps, input, null);
  const hold = isProbe ? null : breakers.getDeviceHold(service, dueDevice.target.deviceId);
  if (hold !== null) {
    const epoch = breakers.getEpoch(service);
    return recordNotSent(deps, input, createHeldResult(deps, { ...input, hold, epoch }));
  }
  return elapsed() - readAt < READ_AGE_MAX_MS
    ? makeAttempt(deps, input)
    : tryAfterReread(deps, input);
}

async function tryAfterReread(deps: AttemptDeps, input: AdmittedTry): Promise<TryResult | null> {
  const { dueDevice, job } = input;
  const { notification } = job;
  const deviceIds = [dueDevice.pendingDevice.deviceId];
  const targets = await findDevicesInAudience(deps, notification.audience, { deviceIds });
  const pending = [dueDevice.pendingDevice];
  const fetched = NOTHING_FETCHED;
  const untriaged = { notification, pending, targets, fetched, mayRetry: () => true };
  const { results, dueDevices } = triageTargets(deps, untriaged);
  const [result] = results;
  if (result !== undefined) return recordNotSent(deps, input, toFinalTryResult(result));
  const [current] = dueDevices;
  if (current === undefined) return recordNotSent(deps, input, null);
  return makeAttempt(deps, { ...input, dueDevice: current });
}

async function makeAttempt(deps: AttemptDeps, input: AdmittedTry): Promise<TryResult | null> {
  const { dueDevice, job, heldLease, provider, writeMark } = input;
  const { bulkPacer, elapsed } = deps;
  if (writeMark !== null && !(await writeMark())) return recordNotSent(deps, input, null);
  if (job.notification.interaction !== null) {
    const cancelled = await findCancelledResult(deps, input);
    if (cancelled !== null) return recordNotSent(deps, input, cancelled);
  }
  const isBulk = job.lane === BULK_LANE;
  if (!isBulk) bulkPacer.slowDown();
  const waitForPacer = isBulk ? bulkPacer.waitToBegin : null;
  const startedAt = elapsed();
  const outcome = await attempt(deps, {
    provider,
    notification: job.notification,
    waitForPacer,
    target: dueDevice.target,
    signal: heldLease.signal,
  });
  return recordOutcome(deps, { ...input, outcome, startedAt, isRetriedTogether: false });
}

/** Records at the breaker that an admitted message was not sent, and returns `tried`. */
async function recordNotSent(
  { breakers, elapsed }: AttemptDeps,
  { dueDevice, service, isProbe }: AdmittedTry,
  tried: TryResult | null,
): Promise<TryResult | null> {
  const { deviceId } = dueDevice.target;
  breakers.recordOutcome(service, { deviceId, outcome: null, isProbe, startedAt: elapsed() });
  return tried;
}
