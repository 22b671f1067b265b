import type { Target } from "#devices/device.ts";
import type { DeviceState } from "#devices/store/device-state.ts";
import type { Outcome } from "#providers/provider.ts";
import {
  waitState,
  type DeliveryResult,
  type LeasedJob,
  type NewNotification,
  type PendingDevice,
} from "../delivery.ts";
import type { AttemptDeps } from "../deps.ts";
import type { Report } from "../result/watch.ts";
import type { Hold } from "../services/hold.ts";
import type { HeldLease } from "../worker/held-lease.ts";
import type { Attemptable } from "../worker/triage.ts";
import { conclude, keepWaiting, type Conclusion } from "./conclude.ts";
import { retire } from "./retire.ts";

/** The result of one try at one device. */
export interface Tried {
  readonly report: Report;
  /** The device's state after the try; null if it did not change. */
  readonly deviceState: DeviceState | null;
}

/** Returns the result for a device whose delivery ended without another attempt. */
export function finalResult(result: DeliveryResult): Tried {
  return { report: { kind: "final", result }, deviceState: null };
}

export interface NoteOutcomeInput {
  readonly job: LeasedJob;
  readonly held: HeldLease;
  readonly item: Attemptable;
  readonly service: string;
  readonly isProbe: boolean;
  readonly outcome: Outcome;
  /** On the monotonic clock. */
  readonly startedAt: number;
  /** True if the service had no place. All such devices of the job are retried together. */
  readonly isTogether: boolean;
}

/** Notes an outcome at the breaker, and returns its consequence for the device. */
export function noteOutcome(deps: AttemptDeps, input: NoteOutcomeInput): Tried | Promise<Tried> {
  const { job, held, item, service, isProbe, outcome, startedAt, isTogether } = input;
  const { before, target } = item;
  const { notification } = job;
  const { breakers, isInDoubt, now, random } = deps;
  const { deviceId } = target;
  // An aborted attempt proves nothing about the service.
  const noted = held.signal.aborted ? null : outcome;
  breakers.note(service, { deviceId, outcome: noted, isProbe, startedAt });
  const conclusion = conclude({
    outcome,
    target,
    before,
    notification,
    service,
    epoch: breakers.epochOf(service),
    hold: breakers.waitOf(service, deviceId),
    isProbe,
    isInDoubt,
    now: now(),
    random: isTogether ? spreadOf(notification) : random(),
  });
  const deviceState = deviceStateOf({ target, conclusion, outcome });
  if (conclusion.kind === "retire") {
    const { id: notificationId } = notification;
    const retired = retire(deps, { target, before, conclusion, notificationId });
    return retired.then((report) => ({ report, deviceState }));
  }
  if (conclusion.kind === "final" || !isTogether) return { report: conclusion, deviceState };
  const { pending } = conclusion;
  return { report: pendingAt(pending, roundUpToSecond(pending.runAt)), deviceState };
}

export interface HoldBackInput {
  readonly job: LeasedJob;
  readonly item: Attemptable;
  readonly service: string;
  readonly epoch: string;
  readonly hold: Hold;
}

/** Returns the result for a device whose service is held. The device state is null if the reason has not changed. */
export function holdBack(deps: AttemptDeps, input: HoldBackInput): Tried {
  const { job, item, service, epoch, hold } = input;
  const { before } = item;
  const { notification } = job;
  const timing = { now: deps.now(), random: deps.random() };
  const waiting = { before, notification, service, epoch, hold, ...timing };
  const pending = keepWaiting({ ...waiting, attemptKind: "held" }, hold.reason);
  const deviceState = before.code === pending.code ? null : deviceStateOfWait(pending);
  return { report: { kind: "pending", pending }, deviceState };
}

/** Shortest delay of a device whose queue is full, … */
const BUSY_DELAY_MS = 1_000;
/** … and the longest. If messages take longer than a second, the delay is as long as one of them. */
const BUSY_DELAY_MAX_MS = 10_000;

/** Returns the result for a device whose queue is full. It is retried after about the duration of one message. */
export function postpone(
  before: PendingDevice,
  input: { readonly notification: NewNotification; readonly paceMs: number; readonly now: number },
): Tried {
  const { notification, paceMs, now } = input;
  const delayMs = Math.max(BUSY_DELAY_MS, Math.min(paceMs, BUSY_DELAY_MAX_MS));
  const runAt = roundUpToSecond(now + delayMs * (0.5 + spreadOf(notification)));
  return { report: pendingAt(before, runAt), deviceState: null };
}

function pendingAt(pending: PendingDevice, runAt: number): Report {
  return { kind: "pending", pending: { ...pending, runAt } };
}

/**
 * Rounds a time up to a whole second. A job is claimed at every time at which one of its devices is due, so devices that were
 * postponed together share a time.
 */
function roundUpToSecond(at: number): number {
  return Math.ceil(at / 1_000) * 1_000;
}

/** Returns a number from 0 up to 1 from the random end of the id, so that it is the same for all devices of a notification. */
function spreadOf({ id }: NewNotification): number {
  return Number.parseInt(id.slice(-4), 16) / 0x1_00_00;
}

interface DeviceStateInput {
  readonly target: Target;
  readonly conclusion: Conclusion;
  readonly outcome: Outcome;
}

/** Returns the device's own state after an attempt. */
function deviceStateOf({
  target: { deviceId },
  conclusion,
  outcome,
}: DeviceStateInput): DeviceState {
  const isSuspect = outcome.kind === "retry" && outcome.reason.code === "suspect";
  const learned = outcome.kind === "accepted" ? outcome.learned : undefined;
  const state =
    conclusion.kind === "pending" ? waitState(conclusion.pending) : conclusion.result.state;
  return { deviceId, state, isSuspect, ...(learned === undefined ? {} : { learned }) };
}

/** Returns the state of a device after a report without a response of a push service. */
export function deviceStateOfReport(report: Report): DeviceState {
  if (report.kind === "pending") return deviceStateOfWait(report.pending);
  const { deviceId, state } = report.result;
  return { deviceId, state, isSuspect: false };
}

/** Returns the state of a device that waits. */
function deviceStateOfWait(pending: PendingDevice): DeviceState {
  const { deviceId } = pending;
  return { deviceId, state: waitState(pending), isSuspect: false };
}
