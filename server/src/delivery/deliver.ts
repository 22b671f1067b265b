import { audienceRange, audienceTargets } from "#devices/audiences/store.ts";
import type { Target } from "#devices/device.ts";
import type { Provider } from "#providers/provider.ts";
import { attempt } from "./attempt.ts";
import { conclude, keepWaiting } from "./conclude.ts";
import { CHUNK_MAX, untried, type LeasedJob, type Wait } from "./delivery.ts";
import { cutIntoChunks } from "./expand.ts";
import type { HeldLease } from "./held-lease.ts";
import type { Hold } from "./hold.ts";
import type { DeliveryParts } from "./parts.ts";
import { Progress } from "./progress.ts";
import { retire } from "./retire.ts";
import { sortOut, type Attemptable, type SortOutInput } from "./sort-out.ts";
import { touchOf, touchOfWait } from "./touch.ts";
import type { Report } from "./watch.ts";

export interface DeliverInput {
  readonly job: LeasedJob;
  readonly held: HeldLease;
  /** The job's devices, where the caller has just read them. */
  readonly targets: readonly Target[] | null;
  readonly onReport: (report: Report) => void;
}

/**
 * Tries every device of a job that is due, and records what came of each. Returns when the job's devices
 * are asked again, or null where nothing of it is left.
 */
export async function deliver(parts: DeliveryParts, input: DeliverInput): Promise<number | null> {
  const { job, held } = input;
  const { pending, targets } = await load(parts, input);
  const readAt = parts.now();
  if (job.work.kind === "range" && pending.length > CHUNK_MAX) {
    // Devices came into the range since it was cut: without another cut its last ones would be left out.
    const { notification, work } = job;
    await cutIntoChunks(parts, { notification, held, range: work.range, counted: CHUNK_MAX });
    return parts.now();
  }
  const mayAskAgain = (wait: Wait) => parts.breakers.mayAskAgain(wait);
  const sorted = sort(parts, { notification: job.notification, pending, targets, mayAskAgain });
  const progress = new Progress(parts, { job, held, pending, onReport: input.onReport });
  for (const result of sorted.results) progress.note({ kind: "final", result });
  await Promise.all(
    sorted.attempts.map((item) => tryOne(parts, { ...input, progress, item, readAt })),
  );
  return progress.finish();
}

async function load(parts: DeliveryParts, { job, targets }: DeliverInput) {
  const { work, notification } = job;
  if (work.kind === "devices") {
    const deviceIds = work.pending.map(({ deviceId }) => deviceId);
    const current = targets ?? (await audienceTargets(parts, notification.audience, { deviceIds }));
    return { pending: work.pending, targets: current };
  }
  const { after, upTo } = work.range;
  const range = { after, upTo: upTo === "" ? null : upTo, limit: CHUNK_MAX + 1 };
  const read = await audienceRange(parts, notification.audience, range);
  return {
    pending: untried(
      read.map(({ deviceId }) => deviceId),
      parts.now(),
    ),
    targets: read,
  };
}

interface TryInput extends DeliverInput {
  readonly progress: Progress;
  readonly item: Attemptable;
  /** When the device was read, in milliseconds since the epoch. */
  readonly readAt: number;
}

/** More messages than this do not wait for one device's turn: they leave their place to others, and come again. */
const TURN_LINE_MAX = 4;
const TURN_AGAIN_MS = 1_000;
/** Who waited longer is looked at again: it may have been removed, paused or moved, or have expired. */
const FRESH_MS = 1_000;

/** Waits for the device's turn before it takes a place, so that nobody waits for a busy device. */
async function tryOne(parts: DeliveryParts, input: TryInput): Promise<void> {
  const { item, job, progress } = input;
  const { deviceId, provider } = item.target;
  const { turns, slots, now, random } = parts;
  const line = turns.lengthOf(deviceId);
  if (line >= TURN_LINE_MAX) {
    const runAt = Math.round(now() + TURN_AGAIN_MS * (0.5 + random()));
    progress.note({ kind: "pending", pending: { ...item.before, runAt } });
    return;
  }
  await turns.use(deviceId, () =>
    slots[provider].use(job.lane, async () => {
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
  const { results, attempts } = sort(parts, unsorted);
  for (const result of results) progress.note({ kind: "final", result });
  return attempts[0] ?? null;
}

type Unsorted = Pick<SortOutInput, "notification" | "pending" | "mayAskAgain"> & {
  readonly targets: readonly Target[];
};

function sort({ providers, now }: DeliveryParts, { targets, ...unsorted }: Unsorted) {
  return sortOut({
    ...unsorted,
    targets: new Map(targets.map((target) => [target.deviceId, target])),
    providers: new Set(providers.keys()),
    now: now(),
  });
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
  const epoch = breakers.epochOf(service);
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
  const { job, held, progress, item, provider, service, isProbe } = input;
  const { before, target } = item;
  const { notification } = job;
  const { breakers, now, random } = parts;
  const { deviceId } = target;
  const startedAt = now();
  const outcome = await attempt(parts, { provider, notification, target, signal: held.signal });
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
