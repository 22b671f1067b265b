import type { Outcome, Reason } from "#providers/provider.ts";
import type { Target } from "#devices/device.ts";
import type { DeliveryResult, FinalState, NewNotification, PendingDevice } from "./delivery.ts";
import { explain } from "./explain.ts";
import { HOLD_MS, retryDelayMs, SUSPECT_MS } from "./retry.ts";

/** What follows from an outcome for one device. */
export type Conclusion =
  | { readonly kind: "final"; readonly result: DeliveryResult }
  | { readonly kind: "pending"; readonly pending: PendingDevice }
  /** The device is to be retired if its address was not registered after `asOf`. */
  | { readonly kind: "retire"; readonly asOf: number; readonly result: DeliveryResult };

export interface ConcludeInput {
  readonly outcome: Outcome;
  readonly target: Target;
  /** How the device stood before the attempt. */
  readonly before: PendingDevice;
  readonly notification: NewNotification;
  readonly now: number;
  /** From 0 up to 1. */
  readonly random: number;
}

/** Returns what becomes of a device after one attempt; every outcome leads somewhere. */
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
      return again(input, outcome.reason, now + HOLD_MS, false);
    case "retry": {
      const isOldSuspect =
        outcome.reason.code === "suspect" &&
        target.suspectAt !== null &&
        now - target.suspectAt >= SUSPECT_MS;
      if (isOldSuspect) return retire(input, now, { code: "device_gone", detail: null });
      return again(input, outcome.reason, now + delayMs(input, outcome), outcome.counted);
    }
  }
}

function delayMs({ before, random }: ConcludeInput, outcome: Outcome & { kind: "retry" }): number {
  const { reason, afterMs } = outcome;
  return retryDelayMs({ code: reason.code, attempts: before.attempts + 1, afterMs, random });
}

function retire(input: ConcludeInput, asOf: number, reason: Reason): Conclusion {
  return { kind: "retire", asOf, result: resultOf(input, "gone", reason) };
}

/** Whoever would be tried only after the end is told now, not then. */
function again(input: ConcludeInput, reason: Reason, runAt: number, counted: boolean): Conclusion {
  const { before, notification } = input;
  if (runAt >= notification.expiresAt) return final(input, "expired", lastProblem(input, reason));
  const attempts = before.attempts + (counted ? 1 : 0);
  const { code, detail } = reason;
  return { kind: "pending", pending: { deviceId: before.deviceId, attempts, runAt, code, detail } };
}

function lastProblem({ target }: ConcludeInput, { code, detail }: Reason) {
  const problem = explain({ code, provider: target.provider, detail, retryAt: null });
  return { code: "expired" as const, detail: problem };
}

function final(
  input: ConcludeInput,
  state: FinalState,
  reason: Pick<DeliveryResult, "code" | "detail">,
): Conclusion {
  return { kind: "final", result: resultOf(input, state, reason) };
}

function resultOf(
  { before, target, now }: ConcludeInput,
  state: FinalState,
  { code, detail }: Pick<DeliveryResult, "code" | "detail">,
): DeliveryResult {
  const { deviceId, provider } = target;
  return { deviceId, provider, state, code, detail, attempts: before.attempts + 1, at: now };
}
