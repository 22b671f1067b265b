import type { Target } from "#devices/device.ts";
import type { DeviceState } from "#devices/store/device-state.ts";
import type { Outcome } from "#providers/provider.ts";
import {
  getWaitState,
  type DeliveryResult,
  type LeasedJob,
  type NewNotification,
  type PendingDevice,
} from "../delivery.ts";
import type { AttemptDeps } from "../deps.ts";
import type { Report } from "../result/watch.ts";
import type { Hold } from "../services/hold.ts";
import type { HeldLease } from "../worker/held-lease.ts";
import type { DueDevice } from "../worker/triage.ts";
import { conclude, toWaitingDevice, type Conclusion } from "./conclude.ts";
import { retire } from "./retire.ts";

/** A value that is usually known at once: a promise for each would cost more than the work. */
export type MaybePromise<T> = T | Promise<T>;

/** The result of one try at one device. */
export interface TryResult {
  readonly report: Report;
  /** The device's state after the try; null if it did not change. */
  readonly deviceState: DeviceState | null;
}

/** Returns the result for a device whose delivery ended without another attempt. */
export function toFinalTryResult(result: DeliveryResult): TryResult {
  return { report: { kind: "final", result }, deviceState: null };
}

/** The outcome of one try, with the job, the device and the service. */
export interface RecordOutcomeInput {
  readonly job: LeasedJob;
  readonly heldLease: HeldLease;
  readonly dueDevice: DueDevice;
  readonly service: string;
  readonly isProbe: boolean;
  readonly outcome: Outcome;
  /** A time on the monotonic clock. */
  readonly startedAt: number;
  /** True if the provider had no permit. All such devices of the job are retried together. */
  readonly isRetriedTogether: boolean;
}

/** Records an outcome at the breaker, and returns its consequence for the device. Retires a device that is gone. */
export function recordOutcome(
  deps: AttemptDeps,
  input: RecordOutcomeInput,
): MaybePromise<TryResult> {
  const { job, heldLease, dueDevice, service, isProbe, outcome, startedAt, isRetriedTogether } =
    input;
  const { pendingDevice, target } = dueDevice;
  const { notification } = job;
  const { breakers, isExpiryInDoubt, now, random } = deps;
  const { deviceId } = target;
  // An aborted attempt proves nothing about the service.
  const recordedOutcome = heldLease.signal.aborted ? null : outcome;
  breakers.recordOutcome(service, { deviceId, outcome: recordedOutcome, isProbe, startedAt });
  const conclusion = conclude({
    outcome,
    target,
    pendingDevice,
    notification,
    service,
    epoch: breakers.getEpoch(service),
    hold: breakers.getDeviceHold(service, deviceId),
    isProbe,
    isExpiryInDoubt,
    now: now(),
    random: isRetriedTogether ? getSpread(notification) : random(),
  });
  const deviceState = toDeviceState({ target, conclusion, outcome });
  if (conclusion.kind === "retire") {
    const { id: notificationId } = notification;
    const retired = retire(deps, { target, pendingDevice, conclusion, notificationId });
    return retired.then((report) => ({ report, deviceState }));
  }
  if (conclusion.kind === "final" || !isRetriedTogether) return { report: conclusion, deviceState };
  const { pending } = conclusion;
  return { report: createPendingReport(pending, roundUpToSecond(pending.runAt)), deviceState };
}

/** Returns the consequence of an outcome for a device whose provider keeps messages. */
export function recordKeptOutcome(
  { isExpiryInDoubt, now, random }: Pick<AttemptDeps, "isExpiryInDoubt" | "now" | "random">,
  {
    job: { notification },
    dueDevice: { pendingDevice, target },
    service,
    outcome,
  }: Pick<RecordOutcomeInput, "job" | "dueDevice" | "service" | "outcome">,
): TryResult {
  const conclusion = conclude({
    outcome,
    target,
    pendingDevice,
    notification,
    service,
    epoch: "",
    hold: null,
    isProbe: false,
    isExpiryInDoubt,
    now: now(),
    random: random(),
  });
  if (conclusion.kind === "retire") throw new Error("An app is never gone.");
  return { report: conclusion, deviceState: toDeviceState({ target, conclusion, outcome }) };
}

/** A device that is held, or whose service is held. */
export interface HeldResultInput {
  readonly job: LeasedJob;
  readonly dueDevice: DueDevice;
  readonly service: string;
  readonly epoch: string;
  readonly hold: Hold;
}

/** Returns the result for a device that is held. The device state is null if the reason has not changed. */
export function createHeldResult(deps: AttemptDeps, input: HeldResultInput): TryResult {
  const { job, dueDevice, service, epoch, hold } = input;
  const { pendingDevice } = dueDevice;
  const { notification } = job;
  const timing = { now: deps.now(), random: deps.random() };
  const waiting = { pendingDevice, notification, service, epoch, hold, ...timing };
  const pending = toWaitingDevice({ ...waiting, attemptKind: "held" }, hold.reason);
  const deviceState = pendingDevice.code === pending.code ? null : getWaitingDeviceState(pending);
  return { report: { kind: "pending", pending }, deviceState };
}

/** Shortest delay of a device whose queue is full, before a spread of 50 % more or less. */
const BUSY_DELAY_MIN_MS = 1_000;
/** Longest delay of a device whose queue is full. Between both limits, the delay is as long as one message takes. */
const BUSY_DELAY_MAX_MS = 10_000;

/** Returns the result for a device whose queue is full. It is retried after about the duration of one message. */
export function createPostponedResult(
  pendingDevice: PendingDevice,
  input: {
    readonly notification: NewNotification;
    readonly messageDurationMs: number;
    readonly now: number;
  },
): TryResult {
  const { notification, messageDurationMs, now } = input;
  const delayMs = Math.max(BUSY_DELAY_MIN_MS, Math.min(messageDurationMs, BUSY_DELAY_MAX_MS));
  const runAt = roundUpToSecond(now + delayMs * (0.5 + getSpread(notification)));
  return { report: createPendingReport(pendingDevice, runAt), deviceState: null };
}

function createPendingReport(pending: PendingDevice, runAt: number): Report {
  return { kind: "pending", pending: { ...pending, runAt } };
}

/**
 * Rounds a time up to a whole second. A job is claimed whenever one of its devices is due, so devices that were
 * postponed together share a time.
 */
function roundUpToSecond(at: number): number {
  return Math.ceil(at / 1_000) * 1_000;
}

/**
 * Returns a number from 0 up to 1 from the random end of the id, so that the number is the same for all devices of a
 * notification.
 */
function getSpread({ id }: NewNotification): number {
  return Number.parseInt(id.slice(-SPREAD_DIGITS), 16) / 16 ** SPREAD_DIGITS;
}

/** Number of hexadecimal digits of the id that decide the spread. */
const SPREAD_DIGITS = 4;

interface DeviceStateInput {
  readonly target: Target;
  readonly conclusion: Conclusion;
  readonly outcome: Outcome;
}

/** Returns the device's own state after an attempt. */
function toDeviceState({
  target: { deviceId },
  conclusion,
  outcome,
}: DeviceStateInput): DeviceState {
  const isSuspect = outcome.kind === "retry" && outcome.reason.code === "suspect";
  const updatedAddress = outcome.kind === "accepted" ? outcome.updatedAddress : undefined;
  const state =
    conclusion.kind === "pending" ? getWaitState(conclusion.pending) : conclusion.result.state;
  return {
    deviceId,
    state,
    isSuspect,
    ...(updatedAddress === undefined ? {} : { updatedAddress }),
  };
}

/** Returns the state of a device after a report without a response of a push service. */
export function getReportedDeviceState(report: Report): DeviceState {
  if (report.kind === "pending") return getWaitingDeviceState(report.pending);
  const { deviceId, state } = report.result;
  return { deviceId, state, isSuspect: false };
}

/** Returns the state of a device that waits. */
function getWaitingDeviceState(pending: PendingDevice): DeviceState {
  const { deviceId } = pending;
  return { deviceId, state: getWaitState(pending), isSuspect: false };
}
