import type { Outcome, Reason } from "#providers/provider.ts";
import type { Target } from "#devices/device.ts";
import { isServiceTrouble } from "../services/breaker.ts";
import type { DeliveryResult, FinalState, NewNotification, PendingDevice } from "../delivery.ts";
import { problemOf } from "../explain.ts";
import { codeAndDetailOf, withAttempt, type History } from "../history.ts";
import type { Hold } from "../services/hold.ts";
import type { DoubtedClock } from "../deps.ts";
import { slowStartDelayMs } from "../services/slow-start.ts";
import { ATTEMPTS_MAX, lastAttemptAt, retryDelayMs, SUSPECT_MS } from "./retry.ts";

/** The consequence of an outcome for one device. */
export type Conclusion =
  | { readonly kind: "final"; readonly result: DeliveryResult }
  | { readonly kind: "pending"; readonly pending: PendingDevice }
  /** The device is retired, unless its address was registered after `asOf`. */
  | { readonly kind: "retire"; readonly asOf: number; readonly result: DeliveryResult };

export interface ConcludeInput {
  readonly outcome: Outcome;
  readonly target: Target;
  /** The device's state before the attempt. */
  readonly before: PendingDevice;
  readonly notification: NewNotification;
  /** The name from `Provider.serviceOf`; `epoch` identifies its last release. */
  readonly service: string;
  readonly epoch: string;
  /** The reason why the device's messages are held now; null if they are not. */
  readonly hold: Hold | null;
  /** True if the attempt is a half-open probe of a held service. It then does not count against the device. */
  readonly isProbe: boolean;
  /** Returns whether a notification has expired at a time only according to a doubted clock. */
  readonly isInDoubt: DoubtedClock["isInDoubt"];
  readonly now: number;
  /** From 0 up to 1. */
  readonly random: number;
}

/** Returns the consequence of one attempt. */
export function conclude(input: ConcludeInput): Conclusion {
  const { outcome, target, now } = input;
  switch (outcome.kind) {
    case "accepted":
      return final(input, "accepted", { code: "accepted", detail: null });
    case "rejected":
      return final(input, "rejected", outcome.reason);
    case "gone":
      return retire(input, outcome.asOf, outcome.reason);
    case "refused":
      return wait(input, "refused", outcome.reason);
    case "retry": {
      const isOldSuspect =
        outcome.reason.code === "suspect" &&
        target.suspectAt !== null &&
        now - target.suspectAt >= SUSPECT_MS;
      if (isOldSuspect) return retire(input, now, { code: "device_gone", detail: null });
      return retryOrEnd(input, outcome);
    }
  }
}

type WaitInput = Pick<
  ConcludeInput,
  "before" | "notification" | "service" | "epoch" | "hold" | "now" | "random"
> & {
  /** The kind of the entry in the history: `held` if no request was sent. */
  readonly attemptKind: "refused" | "retry" | "held";
};

/** Limit of the wait for a service. It matters only if the release of the service is lost. */
const WAIT_MAX_MS = 60 * 60_000;
/** Random share added to waits, so that devices are not all retried at the same time. */
const SPREAD = 0.1;

/** Returns the device waiting for its service. The wait costs no attempt and ends at `runAt` at the latest. */
export function keepWaiting(input: WaitInput, reason: Reason): PendingDevice {
  const { before, notification, service, epoch, hold, attemptKind, now, random } = input;
  const runAt = Math.min(Math.round(now + waitMsOf(hold, { now, random })), notification.expiresAt);
  return {
    deviceId: before.deviceId,
    attempts: before.attempts,
    tries: before.tries,
    runAt,
    ...reason,
    deaths: before.deaths,
    waitsFor: { service, epoch },
    history: withAttempt(before.history, { kind: attemptKind, at: now, ...reason, nextAt: runAt }),
  };
}

const WAIT_MIN_MS = 1_000;

/** Wait if the service already accepts messages again, because no release will follow. */
const NOT_HELD_MS = 30_000;

/** Returns the length of a wait. The end of one device's hold causes no release, and that of a throttle may miss other nodes. */
function waitMsOf(
  hold: Hold | null,
  { now, random }: { readonly now: number; readonly random: number },
): number {
  if (hold === null) return NOT_HELD_MS * (1 + SPREAD * random);
  const untilMs = Math.max(WAIT_MIN_MS, hold.until - now);
  if (hold.isForDevice) return untilMs * (1 + SPREAD * random);
  if (hold.cause === "throttled") return untilMs + slowStartDelayMs(random);
  return WAIT_MAX_MS * (1 + SPREAD * random);
}

function retryOrEnd(input: ConcludeInput, outcome: Outcome & { kind: "retry" }): Conclusion {
  const { before, target, notification, service, epoch, hold, isProbe, now, random } = input;
  const { deviceId } = before;
  const { reason, afterMs } = outcome;
  const isTrouble = isServiceTrouble(outcome);
  // If the service was released meanwhile (`hold` is null), a device that begins to wait now would not be released.
  if (isProbe && isTrouble && hold !== null) return wait(input, "retry", reason);
  const { provider } = target;
  const attempts = before.attempts + (outcome.counted && !isProbe ? 1 : 0);
  const tries = before.tries + 1;
  const detail = problemOf({ provider, ...reason });
  if (attempts >= ATTEMPTS_MAX[provider])
    return final(input, "failed", { code: "gave_up", detail });
  const delay = { provider, code: reason.code, attempts, tries, afterMs, random };
  const { expiresAt } = notification;
  const retryAt = now + retryDelayMs(delay);
  // The release of its service ends the wait early.
  const mayBeReleased = isTrouble && hold !== null && !hold.isForDevice;
  const isTooLate = retryAt >= expiresAt && !input.isInDoubt(notification, retryAt);
  const last = isTooLate && !mayBeReleased ? lastAttemptAt({ ...delay, now, expiresAt }) : null;
  // A retry after the expiry would be useless, so the delivery ends now.
  if (isTooLate && !mayBeReleased && last === null)
    return final(input, "expired", { code: "expired", detail });
  const runAt = last ?? Math.min(retryAt, expiresAt);
  const waitsFor = mayBeReleased ? { service, epoch } : null;
  const history = historyWith(input, runAt);
  const { deaths } = before;
  const pending = { deviceId, attempts, tries, runAt, ...reason, deaths, waitsFor, history };
  return { kind: "pending", pending };
}

function wait(input: ConcludeInput, attemptKind: "refused" | "retry", reason: Reason): Conclusion {
  return { kind: "pending", pending: keepWaiting({ ...input, attemptKind }, reason) };
}

function historyWith({ before, outcome, now }: ConcludeInput, nextAt: number | null): History {
  const attempt = { kind: outcome.kind, at: now, ...codeAndDetailOf(outcome), nextAt };
  return withAttempt(before.history, attempt);
}

function retire(input: ConcludeInput, asOf: number, reason: Reason): Conclusion {
  return { kind: "retire", asOf, result: resultOf(input, "gone", reason) };
}

function final(
  input: ConcludeInput,
  state: FinalState,
  reason: Pick<DeliveryResult, "code" | "detail">,
): Conclusion {
  return { kind: "final", result: resultOf(input, state, reason) };
}

function resultOf(
  input: ConcludeInput,
  state: FinalState,
  { code, detail }: Pick<DeliveryResult, "code" | "detail">,
): DeliveryResult {
  const { before, target, outcome, now } = input;
  const { deviceId, provider } = target;
  const attempts = before.attempts + 1;
  const result = { deviceId, provider, state, code, detail, attempts, at: now };
  // The result itself describes its only attempt.
  const isImplied = before.history === undefined && codeAndDetailOf(outcome).code === code;
  return isImplied ? result : { ...result, history: historyWith(input, null) };
}
