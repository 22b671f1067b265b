import type { ProviderName } from "#providers/provider.ts";
import type { DeliveryResult, NewNotification, PendingDevice } from "../delivery.ts";
import type { AttemptDeps } from "../deps.ts";
import { withAttempt } from "../history.ts";
import type { Report } from "../result/watch.ts";

/** One death may be an accident of the machine; the second in a row at the same step is none. */
export const DEATHS_MAX = 2;
/** Other devices of the job have their attempts first. */
const AGAIN_MS = 10_000;

export interface DeathInput {
  /** How the device stood before the attempt at which the process died. */
  readonly before: PendingDevice;
  readonly provider: ProviderName;
  readonly notification: NewNotification;
}

/** Returns what becomes of a device during whose attempt the process died. */
export function concludeDeath(
  { now, random }: Pick<AttemptDeps, "now" | "random">,
  { before, provider, notification }: DeathInput,
): Report {
  const { deviceId } = before;
  const at = now();
  const deaths = before.deaths + 1;
  const attempts = before.attempts + 1;
  const isEnd = deaths >= DEATHS_MAX;
  const later = Math.round(at + AGAIN_MS * (1 + 0.2 * random()));
  const runAt = Math.min(later, notification.expiresAt);
  const attempt = { kind: "retry", at, ...CRASHED, nextAt: isEnd ? null : runAt } as const;
  const tried = { ...before, attempts, history: withAttempt(before.history, attempt) };
  if (isEnd) return { kind: "final", result: crashedResult({ before: tried, provider, at }) };
  const tries = before.tries + 1;
  const pending = { ...tried, deviceId, tries, deaths, runAt, ...CRASHED, waitsFor: null };
  return { kind: "pending", pending };
}

/** Returns the result of a device whose delivery ends because it, or its message, ends the process. */
export function crashedResult({
  before: { deviceId, attempts, history },
  provider,
  at,
}: {
  readonly before: PendingDevice;
  readonly provider: ProviderName;
  readonly at: number;
}): DeliveryResult {
  const tried = history === undefined ? {} : { history };
  return { deviceId, provider, state: "failed", ...CRASHED, attempts, at, ...tried };
}

const CRASHED = { code: "crashed", detail: null } as const;
