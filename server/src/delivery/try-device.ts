import { audienceTargets } from "#devices/audiences/store.ts";
import type { Provider } from "#providers/provider.ts";
import { attempt } from "./attempt.ts";
import { conclude, keepWaiting } from "./conclude.ts";
import { noteCrash } from "./crash.ts";
import { BULK, type LeasedJob } from "./delivery.ts";
import type { HeldLease } from "./held-lease.ts";
import type { Hold } from "./hold.ts";
import type { DeliveryParts } from "./parts.ts";
import type { Progress } from "./progress.ts";
import { retire } from "./retire.ts";
import type { Instead } from "./solo/solo-places.ts";
import { sortTargets, type Attemptable } from "./sort-out.ts";
import { touchOf, touchOfWait } from "./touch.ts";

export interface TryInput {
  readonly job: LeasedJob;
  readonly held: HeldLease;
  readonly progress: Progress;
  readonly item: Attemptable;
  /** When the device was read, in milliseconds since the epoch. */
  readonly readAt: number;
  /** Null where attempts are made in this process. */
  readonly instead: Instead | null;
  /** Called once the device has its place, or waits for what nobody else waits for. */
  readonly letNext: () => void;
}

/** More messages than this do not wait for one device's turn: they leave their place to others, and come again. */
const TURN_LINE_MAX = 4;
const TURN_AGAIN_MS = 1_000;
/** Who waited longer is looked at again: it may have been removed, paused or moved, or have expired. */
const FRESH_MS = 1_000;

/**
 * Tries one device, and notes what came of it. Waits for the device's turn before it takes a place, so that nobody
 * waits for a busy device.
 */
export async function tryDevice(parts: DeliveryParts, input: TryInput): Promise<void> {
  const { item, job, progress } = input;
  const { deviceId, provider } = item.target;
  const { turns, slots, crowd, now, random } = parts;
  const line = turns.lengthOf(deviceId);
  if (line >= TURN_LINE_MAX) {
    const runAt = Math.round(now() + TURN_AGAIN_MS * (0.5 + random()));
    progress.note({ kind: "pending", pending: { ...item.before, runAt } });
    return;
  }
  if (line > 0) input.letNext();
  await turns.use(deviceId, () =>
    slots[provider].use(job.lane, async () => {
      input.letNext();
      if (job.lane !== BULK) crowd.giveWay();
      const isFresh = line === 0 && now() - input.readAt < FRESH_MS;
      const current = isFresh ? item : await lookAgain(parts, input);
      // Not begun is not failed: the device stays pending.
      if (current !== null && input.held.mayBegin(now())) {
        await tryNow(parts, { ...input, item: current });
      }
    }),
  );
}

/** Returns the device as it is now; null where it is not to be tried any more, which is noted. */
async function lookAgain(parts: DeliveryParts, input: TryInput): Promise<Attemptable | null> {
  const { item, job, progress } = input;
  const { notification } = job;
  const deviceIds = [item.before.deviceId];
  const targets = await audienceTargets(parts, notification.audience, { deviceIds });
  const pending = [item.before];
  const unsorted = { notification, pending, targets, mayAskAgain: () => true };
  const { results, attempts } = sortTargets(parts, unsorted);
  for (const result of results) progress.note({ kind: "final", result });
  return attempts[0] ?? null;
}

async function tryNow(parts: DeliveryParts, input: TryInput): Promise<void> {
  const { before, target } = input.item;
  const provider = parts.providers.get(target.provider);
  if (provider === undefined) return;
  const service = provider.serviceOf(target.address);
  const { breakers } = parts;
  const admission = await breakers.admit(service, {
    deviceId: target.deviceId,
    isNew: before.code === null,
    isFirstAlone: provider.probesFirst === true,
  });
  const { epoch } = admission;
  if (admission.kind === "held")
    holdBack(parts, { ...input, service, epoch, hold: admission.hold });
  else await makeAttempt(parts, { ...input, provider, service, isProbe: admission.isProbe });
}

function holdBack(
  parts: DeliveryParts,
  input: TryInput & { readonly service: string; readonly epoch: string; readonly hold: Hold },
): void {
  const { item, job, progress, service, epoch, hold } = input;
  const { before } = item;
  const { notification } = job;
  const moment = { now: parts.now(), random: parts.random() };
  const waiting = { before, notification, service, epoch, hold, ...moment };
  const pending = keepWaiting({ ...waiting, asked: "held" }, hold.reason);
  // Who waits on is no news for its device.
  if (before.code !== pending.code) progress.touch(touchOfWait(pending));
  progress.note({ kind: "pending", pending });
}

interface AttemptInput extends TryInput {
  readonly provider: Provider;
  readonly service: string;
  readonly isProbe: boolean;
}

async function makeAttempt(parts: DeliveryParts, input: AttemptInput): Promise<void> {
  const { job, held, progress, item, service, isProbe } = input;
  const { before, target } = item;
  const { notification } = job;
  const { breakers, crowd, now, random } = parts;
  const { deviceId } = target;
  const startedAt = now();
  const provider = input.instead === null ? input.provider : input.instead(input.provider);
  const { signal } = held;
  // A turn cannot be handed to another process, where nobody waits besides.
  const turn = job.lane === BULK && input.instead === null ? () => crowd.turn() : null;
  const outcome = await attempt(parts, { provider, notification, turn, target, signal });
  if (outcome.kind === "crashed") {
    breakers.note(service, { deviceId, outcome: null, isProbe, startedAt });
    const conclusion = noteCrash(parts, { job, target, before, crash: outcome });
    progress.touch(touchOf({ target, conclusion, outcome }));
    progress.note(conclusion);
    return;
  }
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
    now: now(),
    random: random(),
  });
  progress.touch(touchOf({ target, conclusion, outcome }));
  if (conclusion.kind !== "retire") progress.note(conclusion);
  else progress.note(await retire(parts, { target, before, conclusion }));
}
