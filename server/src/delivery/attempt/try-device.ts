import { audienceTargets } from "#devices/audiences/store.ts";
import type { Outcome, Place, Provider } from "#providers/provider.ts";
import { attempt } from "./attempt.ts";
import { conclude, keepWaiting } from "./conclude.ts";
import { noteCrash } from "./crash.ts";
import { BULK, type LeasedJob, type NewNotification } from "../delivery.ts";
import type { HeldLease } from "../worker/held-lease.ts";
import type { Hold } from "../services/hold.ts";
import type { AttemptDeps } from "../deps.ts";
import type { Progress } from "../worker/progress.ts";
import { retire } from "./retire.ts";
import type { Instead } from "../solo/solo-places.ts";
import { triageTargets, type Attemptable } from "../worker/triage.ts";
import { deviceStateOf, deviceStateOfWait } from "./device-state.ts";

export interface TryInput {
  readonly job: LeasedJob;
  readonly held: HeldLease;
  readonly progress: Progress;
  readonly item: Attemptable;
  /** When the device was read, by the monotonic clock. */
  readonly readAt: number;
  /** Null where attempts are made in this process. */
  readonly instead: Instead | null;
  /** Called once the device has its place, or waits for what nobody else waits for. */
  readonly letNext: () => void;
}

/** More messages than this do not wait for one device's turn: they leave their place to others, and come again. */
const TURN_LINE_MAX = 4;
const TURN_AGAIN_MS = 1_000;
/** Where those before them take long, they come again after as long as one takes, up to this. */
const TURN_AGAIN_MAX_MS = 10_000;
/** Who waited longer is looked at again: it may have been removed, paused or moved, or have expired. */
const FRESH_MS = 1_000;

/**
 * Tries one device, and notes what came of it. Waits for the device's turn before it takes a place, so that nobody
 * waits for a busy device. Where the provider has places of its own, one is taken once the service is known to be given
 * messages: to be told to wait takes none.
 */
export async function tryDevice(deps: AttemptDeps, input: TryInput): Promise<void> {
  const { item, job, progress } = input;
  const { deviceId } = item.target;
  const { deviceQueue, now, elapsed } = deps;
  const line = deviceQueue.lengthOf(deviceId);
  if (line >= TURN_LINE_MAX) {
    const againMs = Math.max(
      TURN_AGAIN_MS,
      Math.min(deviceQueue.paceOf(deviceId), TURN_AGAIN_MAX_MS),
    );
    const runAt = wholeSecond(now() + againMs * (0.5 + spreadOf(job.notification)));
    progress.note({ kind: "pending", pending: { ...item.before, runAt } });
    return;
  }
  if (line > 0) input.letNext();
  await deviceQueue.use(deviceId, () =>
    inSlot(deps, input, async () => {
      const isFresh = line === 0 && elapsed() - input.readAt < FRESH_MS;
      const current = isFresh ? item : await lookAgain(deps, input);
      // Not begun is not failed: the device stays pending.
      if (current !== null && input.held.mayBegin()) {
        await tryNow(deps, { ...input, item: current });
      }
    }),
  );
}

/** Runs work in a slot, unless the provider has places of its own. */
async function inSlot(
  { providers, attemptLimits }: AttemptDeps,
  { item: { target }, job, letNext }: TryInput,
  work: () => Promise<void>,
): Promise<void> {
  if (providers.get(target.provider)?.enter !== undefined) return work();
  return attemptLimits[target.provider].use(job.lane, async () => {
    letNext();
    await work();
  });
}

/** Returns the device as it is now; null where it is not to be tried any more, which is noted. */
async function lookAgain(deps: AttemptDeps, input: TryInput): Promise<Attemptable | null> {
  const { item, job, progress } = input;
  const { notification } = job;
  const deviceIds = [item.before.deviceId];
  const targets = await audienceTargets(deps, notification.audience, { deviceIds });
  const pending = [item.before];
  const unsorted = { notification, pending, targets, mayAskAgain: () => true };
  const { results, attempts } = triageTargets(deps, unsorted);
  for (const result of results) progress.note({ kind: "final", result });
  return attempts[0] ?? null;
}

async function tryNow(deps: AttemptDeps, input: TryInput): Promise<void> {
  const { before, target } = input.item;
  const provider = deps.providers.get(target.provider);
  if (provider === undefined) return;
  const service = provider.serviceOf(target.address);
  const { breakers } = deps;
  const admission = await breakers.admit(service, {
    deviceId: target.deviceId,
    isNew: before.code === null,
    isFirstAlone: provider.probesFirst === true,
  });
  if (admission.kind === "held") {
    holdBack(deps, { ...input, service, epoch: admission.epoch, hold: admission.hold });
    return;
  }
  const admitted = { ...input, provider, service, isProbe: admission.isProbe };
  const askedAt = deps.elapsed();
  const place = await takePlace(admitted);
  input.letNext();
  if (place.kind === "none") {
    const { outcome } = place;
    await noteOutcome(deps, { ...admitted, outcome, startedAt: askedAt, comesTogether: true });
    return;
  }
  try {
    const item = await stillToTry(deps, admitted, askedAt);
    if (item !== null) await makeAttempt(deps, { ...admitted, item });
    else breakers.note(service, notMade(admitted, askedAt));
  } finally {
    place.leave();
  }
}

/** Nothing was sent, which says nothing of the service. */
function notMade({ item, isProbe }: AttemptInput, startedAt: number) {
  return { deviceId: item.target.deviceId, outcome: null, isProbe, startedAt };
}

const TAKEN: Place = { kind: "taken", leave() {} };

/** One that is made in another process has its place there. */
async function takePlace({
  provider,
  item,
  job,
  held,
  instead,
  letNext,
}: AttemptInput): Promise<Place> {
  if (provider.enter === undefined || instead !== null) return TAKEN;
  const { address, accountId } = item.target;
  const { signal } = held;
  return provider.enter({
    address,
    accountId,
    isBulk: job.lane === BULK,
    signal,
    onAside: letNext,
  });
}

/** Returns the device as it is after the wait for its place; null where it is not to be tried now, which is noted. */
async function stillToTry(
  deps: AttemptDeps,
  input: AttemptInput,
  askedAt: number,
): Promise<Attemptable | null> {
  const { item, service, isProbe, held } = input;
  const { breakers, elapsed } = deps;
  if (!held.mayBegin()) return null;
  const hold = isProbe ? null : breakers.waitOf(service, item.target.deviceId);
  if (hold !== null) {
    holdBack(deps, { ...input, epoch: breakers.epochOf(service), hold });
    return null;
  }
  return elapsed() - askedAt < FRESH_MS ? item : lookAgain(deps, input);
}

function holdBack(
  deps: AttemptDeps,
  input: TryInput & { readonly service: string; readonly epoch: string; readonly hold: Hold },
): void {
  const { item, job, progress, service, epoch, hold } = input;
  const { before } = item;
  const { notification } = job;
  const moment = { now: deps.now(), random: deps.random() };
  const waiting = { before, notification, service, epoch, hold, ...moment };
  const pending = keepWaiting({ ...waiting, asked: "held" }, hold.reason);
  // Who waits on is no news for its device.
  if (before.code !== pending.code) progress.touch(deviceStateOfWait(pending));
  progress.note({ kind: "pending", pending });
}

interface AttemptInput extends TryInput {
  readonly provider: Provider;
  readonly service: string;
  readonly isProbe: boolean;
}

async function makeAttempt(deps: AttemptDeps, input: AttemptInput): Promise<void> {
  const { job, held, item } = input;
  const { target } = item;
  const { notification } = job;
  const { bulkPacer, elapsed } = deps;
  if (job.lane !== BULK) bulkPacer.giveWay();
  const startedAt = elapsed();
  const provider = input.instead === null ? input.provider : input.instead(input.provider);
  const { signal } = held;
  // A turn cannot be handed to another process, where nobody waits besides.
  const turn = job.lane === BULK && input.instead === null ? () => bulkPacer.turn() : null;
  const outcome = await attempt(deps, { provider, notification, turn, target, signal });
  if (outcome.kind !== "crashed") {
    await noteOutcome(deps, { ...input, outcome, startedAt, comesTogether: false });
    return;
  }
  const { service, isProbe, progress } = input;
  const { deviceId } = target;
  deps.breakers.note(service, { deviceId, outcome: null, isProbe, startedAt });
  const conclusion = noteCrash(deps, { job, target, before: item.before, crash: outcome });
  progress.touch(deviceStateOf({ target, conclusion, outcome }));
  progress.note(conclusion);
}

async function noteOutcome(
  deps: AttemptDeps,
  input: AttemptInput & {
    readonly outcome: Outcome;
    readonly startedAt: number;
    /** Where there was no room, the devices of a job come again together. */
    readonly comesTogether: boolean;
  },
): Promise<void> {
  const { job, held, progress, item, service, isProbe, outcome, startedAt } = input;
  const { before, target } = item;
  const { notification } = job;
  const { breakers, now, random } = deps;
  const { deviceId } = target;
  const isTelling = !held.signal.aborted;
  breakers.note(service, { deviceId, outcome: isTelling ? outcome : null, isProbe, startedAt });
  const conclusion = conclude({
    outcome,
    target,
    before,
    notification,
    service,
    epoch: breakers.epochOf(service),
    hold: breakers.waitOf(service, deviceId),
    isProbe,
    isInDoubt: deps.isInDoubt,
    now: now(),
    random: input.comesTogether ? spreadOf(notification) : random(),
  });
  progress.touch(deviceStateOf({ target, conclusion, outcome }));
  if (conclusion.kind === "pending" && input.comesTogether) {
    const { pending } = conclusion;
    progress.note({ kind: "pending", pending: { ...pending, runAt: wholeSecond(pending.runAt) } });
  } else if (conclusion.kind !== "retire") progress.note(conclusion);
  else
    progress.note(
      await retire(deps, { target, before, conclusion, notificationId: notification.id }),
    );
}

/**
 * Rounds a moment up: a job is taken for each of its devices that is due, and where many of them find no room, they come
 * again at the same moment instead of one by one.
 */
function wholeSecond(at: number): number {
  return Math.ceil(at / 1_000) * 1_000;
}

/** From 0 up to 1, and the same for all devices of a notification: the end of its id is random. */
function spreadOf({ id }: NewNotification): number {
  return Number.parseInt(id.slice(-4), 16) / 0x1_00_00;
}
