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

/** A job's devices by their next step. */
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
  readonly mayAskAgain: (wait: Wait) => boolean;
  readonly now: number;
  /** The message has expired by a doubted clock alone: it neither ends nor goes out. */
  readonly isInDoubt: boolean;
}

type Unsorted = Pick<TriageInput, "notification" | "pending" | "mayAskAgain"> & {
  readonly targets: readonly Target[];
};

export interface TriageDeps extends Pick<DeliveryServices, "providers">, DoubtedClock {
  readonly now: () => number;
}

/** Sorts devices by their next step, as of now in this process. */
export function triageTargets(
  { providers, now, isInDoubt }: TriageDeps,
  { targets, ...unsorted }: Unsorted,
): Triaged {
  return triage({
    ...unsorted,
    targets: new Map(targets.map((target) => [target.deviceId, target])),
    providers: new Set(providers.keys()),
    now: now(),
    isInDoubt: isInDoubt(unsorted.notification, now()),
  });
}

/** A retry does not begin with less than this left to live. */
const LIFE_MIN_MS = 1_000;

/** Returns which devices are tried, which wait, and which are decided already. */
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
  { mayAskAgain, now, isInDoubt }: TriageInput,
  { runAt, waitsFor }: PendingDevice,
): boolean {
  if (isInDoubt) return false;
  return runAt <= now || (waitsFor !== null && mayAskAgain(waitsFor));
}

function decide(
  { notification, providers, now, isInDoubt }: TriageInput,
  before: PendingDevice,
  target: Target | undefined,
): DeliveryResult | null {
  const { deviceId, attempts, history } = before;
  // The provider of a device that is gone no longer matters; the words for Web Push fit any.
  const provider = target?.provider ?? "webpush";
  const tried = history === undefined ? {} : { history };
  const base = { deviceId, provider, detail: null, attempts, at: now, ...tried };
  if (target === undefined) return { ...base, state: "cancelled", code: "cancelled" };
  const lifeMinMs = before.code === null ? 0 : LIFE_MIN_MS;
  if (!isInDoubt && now > notification.expiresAt - lifeMinMs) {
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
