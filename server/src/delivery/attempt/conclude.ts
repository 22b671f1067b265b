import type { Outcome, Reason } from "#providers/provider.ts";
import type { Target } from "#devices/device.ts";
import { isServiceFailure } from "../services/breaker.ts";
import {
  PROOF_WAIT_MS,
  type DeliveryResult,
  type FinalState,
  type NewNotification,
  type PendingDevice,
} from "../delivery.ts";
import { explainCode } from "../explain.ts";
import { appendAttempt, type Attempt, type History } from "../history.ts";
import type { Hold } from "../services/hold.ts";
import type { ExpiryDoubtCheck } from "../deps.ts";
import { computeSlowStartDelayMs } from "../services/slow-start.ts";
import {
  ATTEMPTS_MAX,
  computeLastAttemptAt,
  computeRetryDelayMs,
  SUSPECT_GONE_AFTER_MS,
} from "./retry.ts";

/** The consequence of an outcome for one device. */
export type Conclusion =
  | { readonly kind: "final"; readonly result: DeliveryResult }
  | { readonly kind: "pending"; readonly pending: PendingDevice }
  /** The device is retired, unless its address was registered after `asOf`. */
  | { readonly kind: "retire"; readonly asOf: number; readonly result: DeliveryResult };

/** The outcome of an attempt, with the state of its device and of the device's service. */
export interface ConcludeInput {
  readonly outcome: Outcome;
  readonly target: Target;
  /** The device's state before the attempt. */
  readonly pendingDevice: PendingDevice;
  readonly notification: NewNotification;
  /** The name from `Provider.getServiceName`. */
  readonly service: string;
  /** Identifies the last release of the service. */
  readonly epoch: string;
  /** The reason why the device's messages are held now; null if they are not. */
  readonly hold: Hold | null;
  /** True if the attempt is a half-open probe of a held service. It then does not count against the device. */
  readonly isProbe: boolean;
  /** Returns whether a notification looks expired at a time only because of a doubted clock. */
  readonly isExpiryInDoubt: ExpiryDoubtCheck["isExpiryInDoubt"];
  readonly now: number;
  /** From 0 up to 1. */
  readonly random: number;
}

/** Returns the consequence of one attempt. */
export function conclude(input: ConcludeInput): Conclusion {
  const { outcome, target, now } = input;
  switch (outcome.kind) {
    case "accepted": {
      // A push service's receipt is an id for its support team. An app's receipt proves the delivery.
      const detail = target.provider === "stream" ? outcome.receipt : null;
      return concludeFinal(input, "accepted", { code: "accepted", detail });
    }
    case "kept":
      return { kind: "pending", pending: toKeptDevice(input, outcome.reason) };
    case "skipped":
      return { kind: "final", result: createSkippedResult(input, outcome.reason) };
    case "rejected":
      return concludeFinal(input, "rejected", outcome.reason);
    case "gone":
      return concludeRetirement(input, outcome.goneAt, outcome.reason);
    case "refused":
      return concludeWait(input, "refused", outcome.reason);
    case "retry": {
      const isOldSuspect =
        outcome.reason.code === "suspect" &&
        target.suspectAt !== null &&
        now - target.suspectAt >= SUSPECT_GONE_AFTER_MS;
      if (isOldSuspect)
        return concludeRetirement(input, now, { code: "device_gone", detail: null });
      return retryOrEnd(input, outcome);
    }
  }
}

type WaitInput = Pick<
  ConcludeInput,
  "pendingDevice" | "notification" | "service" | "epoch" | "hold" | "now" | "random"
> & {
  /** The kind of the entry in the history: `held` if no request was sent. */
  readonly attemptKind: "refused" | "retry" | "held";
};

/** Limit of the wait for a service. It matters only if the release of the service is lost. */
const WAIT_MAX_MS = 60 * 60_000;
/** Random share added to waits, so that devices are not all retried at the same time. */
const JITTER_SHARE = 0.1;

/**
 * Returns the state of a device that waits for its service. The wait costs no attempt, and ends at `runAt` at the
 * latest.
 */
export function toWaitingDevice(input: WaitInput, reason: Reason): PendingDevice {
  const { pendingDevice, notification, service, epoch, hold, attemptKind, now, random } = input;
  const runAt = Math.min(
    Math.round(now + computeWaitMs(hold, { now, random })),
    notification.expiresAt,
  );
  return {
    deviceId: pendingDevice.deviceId,
    attempts: pendingDevice.attempts,
    tries: pendingDevice.tries,
    runAt,
    ...reason,
    crashes: pendingDevice.crashes,
    waitsFor: { service, epoch },
    history: appendAttempt(pendingDevice.history, {
      kind: attemptKind,
      at: now,
      ...reason,
      nextAt: runAt,
    }),
  };
}

/**
 * Returns the state of a device that has yet to fetch the message. The wait costs no attempt. It ends `PROOF_WAIT_MS`
 * after the expiry, because until then the device may prove that it received the message before the expiry.
 */
function toKeptDevice(
  { pendingDevice, notification: { expiresAt }, service, epoch, now }: ConcludeInput,
  reason: Reason,
): PendingDevice {
  const attempt = { kind: "held", at: now, ...reason, nextAt: expiresAt } as const;
  return {
    ...pendingDevice,
    runAt: expiresAt + PROOF_WAIT_MS,
    ...reason,
    waitsFor: { service, epoch },
    history: appendAttempt(pendingDevice.history, attempt),
  };
}

/** Returns the result of a device that does not want the message, so that no attempt was made. */
function createSkippedResult(
  { pendingDevice, target, now }: ConcludeInput,
  reason: Reason,
): DeliveryResult {
  const { deviceId, attempts, history } = pendingDevice;
  const { provider } = target;
  const attemptHistory = history === undefined ? {} : { history };
  return { deviceId, provider, state: "skipped", ...reason, attempts, at: now, ...attemptHistory };
}

/** Shortest wait for the end of a hold. */
const WAIT_MIN_MS = 1_000;

/** Wait if the service already accepts messages again, because no release will follow. */
const NOT_HELD_WAIT_MS = 30_000;

/**
 * Returns the length of a wait. The end of one device's hold causes no release, and other nodes may not learn of the
 * end of a throttle.
 */
function computeWaitMs(
  hold: Hold | null,
  { now, random }: { readonly now: number; readonly random: number },
): number {
  if (hold === null) return NOT_HELD_WAIT_MS * (1 + JITTER_SHARE * random);
  const untilMs = Math.max(WAIT_MIN_MS, hold.until - now);
  if (hold.isForDevice) return untilMs * (1 + JITTER_SHARE * random);
  if (hold.cause === "throttled") return untilMs + computeSlowStartDelayMs(random);
  return WAIT_MAX_MS * (1 + JITTER_SHARE * random);
}

function retryOrEnd(input: ConcludeInput, outcome: Outcome & { kind: "retry" }): Conclusion {
  const { pendingDevice, target, notification, service, epoch, hold, isProbe, now, random } = input;
  const { deviceId } = pendingDevice;
  const { reason, afterMs } = outcome;
  const hasServiceFailed = isServiceFailure(outcome);
  // If `hold` is null, the service was released meanwhile, and no later release would end a wait that begins now.
  if (isProbe && hasServiceFailed && hold !== null) return concludeWait(input, "retry", reason);
  const { provider } = target;
  const attempts = pendingDevice.attempts + (outcome.isCounted && !isProbe ? 1 : 0);
  const tries = pendingDevice.tries + 1;
  const detail = explainCode({ provider, ...reason });
  if (attempts >= ATTEMPTS_MAX[provider])
    return concludeFinal(input, "failed", { code: "gave_up", detail });
  const retry = { provider, code: reason.code, attempts, tries, afterMs, random };
  const { expiresAt } = notification;
  const retryAt = now + computeRetryDelayMs(retry);
  // The release of the device's service ends the wait early.
  const mayBeReleased = hasServiceFailed && hold !== null && !hold.isForDevice;
  const isTooLate = retryAt >= expiresAt && !input.isExpiryInDoubt(notification, retryAt);
  const lastAttemptAt =
    isTooLate && !mayBeReleased ? computeLastAttemptAt({ ...retry, now, expiresAt }) : null;
  // A retry after the expiry would be useless, so the delivery ends now.
  if (isTooLate && !mayBeReleased && lastAttemptAt === null)
    return concludeFinal(input, "expired", { code: "expired", detail });
  const runAt = lastAttemptAt ?? Math.min(retryAt, expiresAt);
  const waitsFor = mayBeReleased ? { service, epoch } : null;
  const history = appendOutcome(input, runAt);
  const { crashes } = pendingDevice;
  const pending = { deviceId, attempts, tries, runAt, ...reason, crashes, waitsFor, history };
  return { kind: "pending", pending };
}

function concludeWait(
  input: ConcludeInput,
  attemptKind: "refused" | "retry",
  reason: Reason,
): Conclusion {
  return { kind: "pending", pending: toWaitingDevice({ ...input, attemptKind }, reason) };
}

function appendOutcome(
  { pendingDevice, outcome, now }: ConcludeInput,
  nextAt: number | null,
): History {
  const kind = outcome.kind === "kept" || outcome.kind === "skipped" ? "held" : outcome.kind;
  const attempt: Attempt = { kind, at: now, ...getCodeAndDetail(outcome), nextAt };
  return appendAttempt(pendingDevice.history, attempt);
}

function concludeRetirement(input: ConcludeInput, asOf: number, reason: Reason): Conclusion {
  return { kind: "retire", asOf, result: createResult(input, "gone", reason) };
}

function concludeFinal(
  input: ConcludeInput,
  state: FinalState,
  reason: Pick<DeliveryResult, "code" | "detail">,
): Conclusion {
  return { kind: "final", result: createResult(input, state, reason) };
}

function createResult(
  input: ConcludeInput,
  state: FinalState,
  { code, detail }: Pick<DeliveryResult, "code" | "detail">,
): DeliveryResult {
  const { pendingDevice, target, outcome, now } = input;
  const { deviceId, provider } = target;
  const attempts = pendingDevice.attempts + 1;
  const result = { deviceId, provider, state, code, detail, attempts, at: now };
  // The result itself describes its only attempt.
  const isImplied = pendingDevice.history === undefined && getCodeAndDetail(outcome).code === code;
  return isImplied ? result : { ...result, history: appendOutcome(input, null) };
}

/** Returns the code and detail of an outcome; the detail of an acceptance is its receipt. */
function getCodeAndDetail(outcome: Outcome): Pick<Attempt, "code" | "detail"> {
  if (outcome.kind === "accepted") return { code: "accepted", detail: outcome.receipt };
  return outcome.reason;
}
