import { audienceTargets } from "#devices/audiences/store.ts";
import type { Place, Provider } from "#providers/provider.ts";
import { BULK, type LeasedJob } from "../delivery.ts";
import type { AttemptDeps } from "../deps.ts";
import type { HeldLease } from "../worker/held-lease.ts";
import { triageTargets, type Attemptable } from "../worker/triage.ts";
import { attempt } from "./attempt.ts";
import { noteOutcome, finalResult, holdBack, postpone, type Tried } from "./tried.ts";

export interface TryInput {
  readonly job: LeasedJob;
  readonly held: HeldLease;
  readonly item: Attemptable;
  /** Time at which the device was read, on the monotonic clock. */
  readonly readAt: number;
  /** Durably marks the device before its attempt. Resolves with whether the attempt may begin. Null outside quarantine. */
  readonly mark: (() => Promise<boolean>) | null;
  /** Called once the try no longer delays later ones; safe to repeat. */
  readonly letNext: () => void;
}

/** Maximum of messages in the queue of one device. More messages are postponed and take no permits. */
const QUEUE_MAX = 4;
/** Age after which a device is read again, because it may have been removed, paused or moved. */
const FRESH_MS = 1_000;
/** A time before every read, so that the device is read again. */
const LONG_AGO = Number.NEGATIVE_INFINITY;

/**
 * Tries one device and returns the result; null if no attempt may begin any more, so that the device stays unchanged. The try
 * waits in the device's queue before it waits for a permit, so that a busy device holds no permits.
 */
export async function tryDevice(deps: AttemptDeps, input: TryInput): Promise<Tried | null> {
  const { item, job, readAt, letNext } = input;
  const { deviceId } = item.target;
  const { deviceQueue } = deps;
  const provider = deps.providers.get(item.target.provider);
  if (provider === undefined) return null;
  const ahead = deviceQueue.lengthOf(deviceId);
  if (ahead >= QUEUE_MAX) {
    const paceMs = deviceQueue.paceOf(deviceId);
    return postpone(item.before, { notification: job.notification, paceMs, now: deps.now() });
  }
  if (ahead > 0) letNext();
  const queued = { ...input, provider, readAt: ahead === 0 ? readAt : LONG_AGO };
  return deviceQueue.use(deviceId, () => tryWithPermit(deps, queued));
}

interface QueuedTry extends TryInput {
  readonly provider: Provider;
}

/** Takes a permit for attempts of the provider, unless it has its own limits. */
function tryWithPermit(deps: AttemptDeps, input: QueuedTry): Promise<Tried | null> {
  const { provider, job, letNext } = input;
  if (provider.enter !== undefined) return tryAdmitted(deps, input);
  return deps.attemptLimits[provider.name].use(job.lane, () => {
    letNext();
    return tryAdmitted(deps, input);
  });
}

/** Asks the breaker before it enters the service, so that a held message takes no place there. */
async function tryAdmitted(deps: AttemptDeps, input: QueuedTry): Promise<Tried | null> {
  const { item, held, provider, letNext } = input;
  const { before, target } = item;
  const { breakers, elapsed } = deps;
  if (!held.mayBegin()) return null;
  const service = provider.serviceOf(target.address);
  const admission = await breakers.admit(service, {
    deviceId: target.deviceId,
    isNew: before.code === null,
    isFirstAlone: provider.probesFirst === true,
  });
  if (admission.kind === "held") {
    const { hold, epoch } = admission;
    return holdBack(deps, { ...input, service, hold, epoch });
  }
  const admitted = { ...input, service, isProbe: admission.isProbe };
  const startedAt = elapsed();
  const place = await enter(admitted);
  letNext();
  if (place.kind === "none") {
    const { outcome } = place;
    return noteOutcome(deps, { ...admitted, outcome, startedAt, isTogether: true });
  }
  try {
    return await tryAfterEntry(deps, admitted);
  } finally {
    place.leave();
  }
}

interface AdmittedTry extends QueuedTry {
  readonly service: string;
  readonly isProbe: boolean;
}

const NO_LIMIT: Place = { kind: "taken", leave() {} };

function enter({ provider, item, job, held, letNext }: AdmittedTry): Place | Promise<Place> {
  if (provider.enter === undefined) return NO_LIMIT;
  const { address, accountId } = item.target;
  const isBulk = job.lane === BULK;
  return provider.enter({ address, accountId, isBulk, signal: held.signal, onAside: letNext });
}

/** Checks the lease, the service and the device again, because they may have changed during the wait for a place. */
function tryAfterEntry(deps: AttemptDeps, input: AdmittedTry): Promise<Tried | null> {
  const { item, held, service, isProbe, readAt } = input;
  const { breakers, elapsed } = deps;
  if (!held.mayBegin()) return notSent(deps, input, null);
  const hold = isProbe ? null : breakers.waitOf(service, item.target.deviceId);
  if (hold !== null) {
    const epoch = breakers.epochOf(service);
    return notSent(deps, input, holdBack(deps, { ...input, hold, epoch }));
  }
  return elapsed() - readAt < FRESH_MS ? makeAttempt(deps, input) : tryReread(deps, input);
}

async function tryReread(deps: AttemptDeps, input: AdmittedTry): Promise<Tried | null> {
  const { item, job } = input;
  const { notification } = job;
  const deviceIds = [item.before.deviceId];
  const targets = await audienceTargets(deps, notification.audience, { deviceIds });
  const pending = [item.before];
  const untriaged = { notification, pending, targets, mayRetry: () => true };
  const { results, attempts } = triageTargets(deps, untriaged);
  const [result] = results;
  if (result !== undefined) return notSent(deps, input, finalResult(result));
  const [current] = attempts;
  if (current === undefined) return notSent(deps, input, null);
  return makeAttempt(deps, { ...input, item: current });
}

async function makeAttempt(deps: AttemptDeps, input: AdmittedTry): Promise<Tried | null> {
  const { item, job, held, provider, mark } = input;
  const { bulkPacer, elapsed } = deps;
  if (mark !== null && !(await mark())) return notSent(deps, input, null);
  const isBulk = job.lane === BULK;
  if (!isBulk) bulkPacer.giveWay();
  const turn = isBulk ? () => bulkPacer.turn() : null;
  const startedAt = elapsed();
  const outcome = await attempt(deps, {
    provider,
    notification: job.notification,
    turn,
    target: item.target,
    signal: held.signal,
  });
  return noteOutcome(deps, { ...input, outcome, startedAt, isTogether: false });
}

/** Notes at the breaker that an admitted message was not sent, and returns `tried`. */
async function notSent(
  { breakers, elapsed }: AttemptDeps,
  { item, service, isProbe }: AdmittedTry,
  tried: Tried | null,
): Promise<Tried | null> {
  const { deviceId } = item.target;
  breakers.note(service, { deviceId, outcome: null, isProbe, startedAt: elapsed() });
  return tried;
}
