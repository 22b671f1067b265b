import type { ProviderName } from "#providers/provider.ts";
import type { Target } from "#devices/device.ts";
import type { DeliveryResult, NewNotification, PendingDevice, Wait } from "../delivery.ts";
import { problemOf } from "../explain.ts";
import type { DeliveryServices, DoubtedClock } from "../deps.ts";

/** A device to try now. */
export interface Attemptable {
  readonly before: PendingDevice;
  readonly target: Target;
}

/** The devices of a job, grouped by their next step. */
export interface Triaged {
  readonly attempts: readonly Attemptable[];
  /** Devices that are not due. */
  readonly waiting: readonly PendingDevice[];
  /** Results that need no push service. */
  readonly results: readonly DeliveryResult[];
}

export interface TriageInput {
  readonly notification: NewNotification;
  readonly pending: readonly PendingDevice[];
  /** The devices that still belong to the audience. */
  readonly targets: ReadonlyMap<string, Target>;
  readonly providers: ReadonlySet<ProviderName>;
  /** Returns whether a device that waits for its service may be tried before it is due. */
  readonly mayRetry: (wait: Wait) => boolean;
  readonly now: number;
  /** True if the notification has expired only by a doubted clock. It then neither ends nor is sent. */
  readonly isInDoubt: boolean;
}

type UntriagedJob = Pick<TriageInput, "notification" | "pending" | "mayRetry"> & {
  readonly targets: readonly Target[];
};

export interface TriageDeps extends Pick<DeliveryServices, "providers">, DoubtedClock {
  readonly now: () => number;
}

/** Groups devices by their next step, with the present state of this process. */
export function triageTargets(
  { providers, now, isInDoubt }: TriageDeps,
  { targets, ...untriaged }: UntriagedJob,
): Triaged {
  return triage({
    ...untriaged,
    targets: new Map(targets.map((target) => [target.deviceId, target])),
    providers: new Set(providers.keys()),
    now: now(),
    isInDoubt: isInDoubt(untriaged.notification, now()),
  });
}

/** Shortest time before the expiry at which a retry may begin. */
const REMAINING_MIN_MS = 1_000;

/** Groups devices into attempts to make, waits, and results that are already certain. */
export function triage(input: TriageInput): Triaged {
  const attempts: Attemptable[] = [];
  const waiting: PendingDevice[] = [];
  const results: DeliveryResult[] = [];
  for (const before of input.pending) {
    const target = input.targets.get(before.deviceId);
    const decided = decide(input, before, target);
    if (decided !== null) results.push(decided);
    else if (!isDue(input, before)) waiting.push(before);
    else if (target !== undefined) attempts.push({ before, target });
  }
  return { attempts, waiting, results };
}

function isDue(
  { mayRetry, now, isInDoubt }: TriageInput,
  { runAt, waitsFor }: PendingDevice,
): boolean {
  if (isInDoubt) return false;
  return runAt <= now || (waitsFor !== null && mayRetry(waitsFor));
}

function decide(
  { notification, providers, now, isInDoubt }: TriageInput,
  before: PendingDevice,
  target: Target | undefined,
): DeliveryResult | null {
  const { deviceId, attempts, history } = before;
  // The provider of a removed device does not matter. The text for Web Push fits every provider.
  const provider = target?.provider ?? "webpush";
  const attemptHistory = history === undefined ? {} : { history };
  const base = { deviceId, provider, detail: null, attempts, at: now, ...attemptHistory };
  if (target === undefined) return { ...base, state: "cancelled", code: "cancelled" };
  const remainingMinMs = before.code === null ? 0 : REMAINING_MIN_MS;
  if (!isInDoubt && now > notification.expiresAt - remainingMinMs) {
    const { code, detail } = before;
    const problem = code === null ? null : problemOf({ provider, code, detail });
    return { ...base, state: "expired", code: "expired", detail: problem };
  }
  if (target.pausedAt !== null) return { ...base, state: "skipped", code: "paused" };
  if (!providers.has(target.provider)) {
    return { ...base, state: "skipped", code: "provider_not_configured" };
  }
  return null;
}
