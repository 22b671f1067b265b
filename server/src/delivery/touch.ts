import type { Target } from "#devices/device.ts";
import type { DeviceState } from "#devices/store.ts";
import type { Outcome } from "#providers/provider.ts";
import type { Conclusion } from "./conclude.ts";

export interface TouchInput {
  readonly target: Target;
  readonly conclusion: Conclusion;
  readonly outcome: Outcome;
}

/** Returns what an attempt says about the device itself, whatever becomes of the notification. */
export function touchOf({ target: { deviceId }, conclusion, outcome }: TouchInput): DeviceState {
  const isSuspect = outcome.kind === "retry" && outcome.reason.code === "suspect";
  if (conclusion.kind !== "pending") return { deviceId, state: conclusion.result.state, isSuspect };
  return { deviceId, state: outcome.kind === "refused" ? "held" : "retrying", isSuspect };
}
