import type { ProviderName } from "#providers/provider.ts";
import type { DeliveryResult, NewNotification, PendingDevice } from "../delivery.ts";
import type { AttemptDeps } from "../deps.ts";
import { withAttempt } from "../history.ts";
import type { Report } from "../result/watch.ts";

/** Number of crashes in a row at the same step that ends a delivery. A single one may be an accident of the machine. */
export const DEATHS_MAX = 2;
/** Delay before the next attempt, so that other devices of the job have theirs first. */
const RETRY_MS = 10_000;

export interface DeathInput {
  /** The device's state before the attempt during which the process died. */
  readonly before: PendingDevice;
  readonly provider: ProviderName;
  readonly notification: NewNotification;
}

/** Returns the report of a device during whose attempt the process died. */
export function concludeDeath(
  { now, random }: Pick<AttemptDeps, "now" | "random">,
  { before, provider, notification }: DeathInput,
): Report {
  const { deviceId } = before;
  const at = now();
  const deaths = before.deaths + 1;
  const attempts = before.attempts + 1;
  const isLast = deaths >= DEATHS_MAX;
  const retryAt = Math.round(at + RETRY_MS * (1 + 0.2 * random()));
  const runAt = Math.min(retryAt, notification.expiresAt);
  const attempt = { kind: "retry", at, ...CRASHED, nextAt: isLast ? null : runAt } as const;
  const tried = { ...before, attempts, history: withAttempt(before.history, attempt) };
  if (isLast) return { kind: "final", result: crashedResult({ before: tried, provider, at }) };
  const tries = before.tries + 1;
  const pending = { ...tried, deviceId, tries, deaths, runAt, ...CRASHED, waitsFor: null };
  return { kind: "pending", pending };
}

/** Returns the result of a device whose delivery ends because the device or its message crashes the process. */
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
