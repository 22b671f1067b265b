import type { Target } from "#devices/device.ts";
import type { DeviceState } from "#devices/store/device-state.ts";
import type { Outcome } from "#providers/provider.ts";
import type { PendingDevice } from "../delivery.ts";
import type { Report } from "../result/watch.ts";
import type { Conclusion } from "./conclude.ts";

export interface DeviceStateInput {
  readonly target: Target;
  readonly conclusion: Conclusion;
  readonly outcome: Outcome;
}

/** Returns what an attempt says about the device itself, whatever becomes of the notification. */
export function deviceStateOf({
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

/** Returns the state of a device by a report that no push service had a part in. */
export function deviceStateOfReport(report: Report): DeviceState {
  if (report.kind === "pending") return deviceStateOfWait(report.pending);
  const { deviceId, state } = report.result;
  return { deviceId, state, isSuspect: false };
}

/** Returns the state of a device that waits. */
export function deviceStateOfWait(pending: PendingDevice): DeviceState {
  const { deviceId } = pending;
  return { deviceId, state: waitState(pending), isSuspect: false };
}

/** Returns the state of a delivery that is still owed. */
export function waitState({ code }: Pick<PendingDevice, "code">): "queued" | "held" | "retrying" {
  if (code === null) return "queued";
  return code === "provider_misconfigured" ? "held" : "retrying";
}
