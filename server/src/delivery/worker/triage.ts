import type { ProviderName } from "#providers/provider.ts";
import type { Target } from "#devices/device.ts";
import {
  isKept,
  PROOF_WAIT_MS,
  type DeliveryResult,
  type NewNotification,
  type PendingDevice,
  type ServiceWait,
} from "../delivery.ts";
import { explainCode } from "../explain.ts";
import { createFetchedResult } from "../attempt/fetched-result.ts";
import type { DeliveryServices, ExpiryDoubtCheck } from "../deps.ts";
import type { FetchedByDevice } from "./fetched.ts";

/** A device to try now. */
export interface DueDevice {
  readonly pendingDevice: PendingDevice;
  readonly target: Target;
}

/** The devices of a job, grouped by their next step. */
export interface TriageResult {
  readonly dueDevices: readonly DueDevice[];
  /** Devices that are not due. */
  readonly waiting: readonly PendingDevice[];
  /** The results that need no push service. */
  readonly results: readonly DeliveryResult[];
}

/** The devices of a job, with the state that decides their next step. */
export interface TriageInput {
  readonly notification: NewNotification;
  readonly pending: readonly PendingDevice[];
  /** The devices that still belong to the audience. */
  readonly targets: ReadonlyMap<string, Target>;
  readonly providers: ReadonlySet<ProviderName>;
  /** The devices that have fetched the message, including those that were removed since. */
  readonly fetched: FetchedByDevice;
  /** Returns whether a device that waits for its service may be tried before it is due. */
  readonly mayRetry: (wait: ServiceWait) => boolean;
  readonly now: number;
  /** True if the notification looks expired only because of a doubted clock. It then neither ends nor is sent. */
  readonly isExpiryInDoubt: boolean;
}

type UntriagedJob = Pick<TriageInput, "notification" | "pending" | "mayRetry" | "fetched"> & {
  readonly targets: readonly Target[];
};

/** The providers and the clocks that decide the next step of a device. */
export interface TriageDeps extends Pick<DeliveryServices, "providers">, ExpiryDoubtCheck {
  readonly now: () => number;
}

/** Groups devices by their next step, with the present state of this process. */
export function triageTargets(
  { providers, now, isExpiryInDoubt }: TriageDeps,
  { targets, ...untriaged }: UntriagedJob,
): TriageResult {
  return triage({
    ...untriaged,
    targets: new Map(targets.map((target) => [target.deviceId, target])),
    providers: new Set(providers.keys()),
    now: now(),
    isExpiryInDoubt: isExpiryInDoubt(untriaged.notification, now()),
  });
}

/** Shortest time before the expiry at which a retry may begin. */
const REMAINING_MIN_MS = 1_000;
/** The same for an app, which can fetch its message until the expiry, so that no request of ours needs time. */
const REMAINING_MIN_OF_APP_MS = 1;

/** Groups devices into those to try now, those that wait, and results that are already certain. */
export function triage(input: TriageInput): TriageResult {
  const dueDevices: DueDevice[] = [];
  const waiting: PendingDevice[] = [];
  const results: DeliveryResult[] = [];
  for (const pendingDevice of input.pending) {
    const target = input.targets.get(pendingDevice.deviceId);
    const decided = findFinalResult(input, pendingDevice, target);
    if (decided !== null) results.push(decided);
    else if (!isDue(input, pendingDevice)) waiting.push(pendingDevice);
    else if (target !== undefined) dueDevices.push({ pendingDevice, target });
  }
  return { dueDevices, waiting, results };
}

function isDue(
  { mayRetry, now, isExpiryInDoubt }: TriageInput,
  { runAt, waitsFor }: PendingDevice,
): boolean {
  if (isExpiryInDoubt) return false;
  return runAt <= now || (waitsFor !== null && mayRetry(waitsFor));
}

function findFinalResult(
  { notification, providers, fetched, now, isExpiryInDoubt }: TriageInput,
  pendingDevice: PendingDevice,
  target: Target | undefined,
): DeliveryResult | null {
  const { deviceId, attempts, history } = pendingDevice;
  const fetchedMessage = fetched.get(deviceId);
  if (fetchedMessage !== undefined) return createFetchedResult(pendingDevice, fetchedMessage);
  // The provider of a removed device does not matter. The text for Web Push fits every provider.
  const provider = target?.provider ?? "webpush";
  const attemptHistory = history === undefined ? {} : { history };
  const result = { deviceId, provider, detail: null, attempts, at: now, ...attemptHistory };
  if (target === undefined) return { ...result, state: "cancelled", code: "cancelled" };
  const lastMoment = findLastMoment(notification, pendingDevice, provider);
  if (!isExpiryInDoubt && now > lastMoment) {
    const { code, detail } = pendingDevice;
    const problem = code === null ? null : explainCode({ provider, code, detail });
    return { ...result, state: "expired", code: "expired", detail: problem };
  }
  // During a pause, an app may still fetch the messages that are already in its mailbox.
  if (target.pausedAt !== null && !isKept(pendingDevice)) {
    return { ...result, state: "skipped", code: "paused" };
  }
  if (!isReplaceable(notification, target)) {
    return { ...result, state: "skipped", code: "not_replaceable" };
  }
  if (!providers.has(target.provider)) {
    return { ...result, state: "skipped", code: "provider_not_configured" };
  }
  return null;
}

/** Returns the time after which the delivery to a device ends as expired. */
function findLastMoment(
  { expiresAt }: NewNotification,
  pendingDevice: PendingDevice,
  provider: ProviderName,
): number {
  if (pendingDevice.code === null) return expiresAt;
  // The app is sent nothing more, but it may prove that it received the message.
  if (isKept(pendingDevice)) return expiresAt + PROOF_WAIT_MS - 1;
  return expiresAt - (provider === "stream" ? REMAINING_MIN_OF_APP_MS : REMAINING_MIN_MS);
}

/** The hosts of Apple's Web Push service, whose browsers show every message as a new notification. */
const STACKING_HOST = /\.push\.apple\.com$/;

/** Returns whether a device can show the news of an act in place of the notification that asked for the act. */
function isReplaceable({ interaction }: NewNotification, { address }: Target): boolean {
  if (interaction === null || address.provider !== "webpush") return true;
  if (interaction.cause !== "acknowledgement" && interaction.cause !== "answer") return true;
  return !STACKING_HOST.test(URL.parse(address.endpoint)?.hostname ?? "");
}
