import { audienceRange, audienceTargets } from "#devices/audiences/store.ts";
import type { Target } from "#devices/device.ts";
import type { Provider } from "#providers/provider.ts";
import { attempt } from "./attempt.ts";
import type { Hold } from "./breaker.ts";
import { conclude, keepWaiting } from "./conclude.ts";
import { CHUNK_MAX, untried, type LeasedJob } from "./delivery.ts";
import { cutIntoChunks } from "./expand.ts";
import type { HeldLease } from "./held-lease.ts";
import type { DeliveryParts } from "./parts.ts";
import { Progress } from "./progress.ts";
import { retire } from "./retire.ts";
import { sortOut, type Attemptable } from "./sort-out.ts";
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
  if (job.work.kind === "range" && pending.length > CHUNK_MAX) {
    // Devices came into the range since it was cut: without another cut its last ones would be left out.
    const { notification, work } = job;
    await cutIntoChunks(parts, { notification, held, range: work.range, counted: CHUNK_MAX });
    return parts.now();
  }
  const sorted = sortOut({
    notification: job.notification,
    pending,
    targets: new Map(targets.map((target) => [target.deviceId, target])),
    providers: new Set(parts.providers.keys()),
    isHeld: (service) => parts.breakers.holdOf(service) !== null,
    now: parts.now(),
  });
  const progress = new Progress(parts, { job, held, pending, onReport: input.onReport });
  for (const result of sorted.results) progress.note({ kind: "final", result });
  await Promise.all(sorted.attempts.map((item) => tryOne(parts, { ...input, progress, item })));
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
}

/** Waits for the device's turn before it takes a place, so that nobody waits for a busy device. */
async function tryOne(parts: DeliveryParts, input: TryInput): Promise<void> {
  const { target } = input.item;
  const provider = parts.providers.get(target.provider);
  if (provider === undefined) return;
  const service = provider.serviceOf(target.address);
  const slots = parts.slots[target.provider];
  await parts.turns.use(target.deviceId, () =>
    slots.use(input.job.lane, async () => {
      // Not begun is not failed: the device stays pending.
      if (!input.held.mayBegin(parts.now())) return;
      const admission = await parts.breakers.admit(service, {
        deviceId: target.deviceId,
        isFirstTry: input.item.before.tries === 0,
        isFirstAlone: provider.probesFirst === true,
      });
      if (admission.kind === "held") holdBack(parts, { ...input, service, hold: admission.hold });
      else await makeAttempt(parts, { ...input, provider, service, isProbe: admission.isProbe });
    }),
  );
}

function holdBack(
  parts: DeliveryParts,
  input: TryInput & { readonly service: string; readonly hold: Hold },
): void {
  const { item, job, progress, service, hold } = input;
  const { notification } = job;
  const waiting = {
    ...item,
    notification,
    service,
    hold,
    now: parts.now(),
    random: parts.random(),
  };
  const pending = keepWaiting(waiting, hold.reason);
  progress.touch(touchOfWait(pending));
  progress.note({ kind: "pending", pending });
}

async function makeAttempt(
  parts: DeliveryParts,
  input: TryInput & {
    readonly provider: Provider;
    readonly service: string;
    readonly isProbe: boolean;
  },
): Promise<void> {
  const { job, held, progress, item, provider, service, isProbe } = input;
  const { before, target } = item;
  const { notification } = job;
  const { breakers, now, random } = parts;
  const startedAt = now();
  const outcome = await attempt(parts, { provider, notification, target, signal: held.signal });
  const isTelling = !held.signal.aborted;
  const { deviceId } = target;
  breakers.note(service, { deviceId, outcome: isTelling ? outcome : null, isProbe, startedAt });
  const conclusion = conclude({
    outcome,
    target,
    before,
    notification,
    service,
    hold: breakers.troubleOf(service),
    isProbe,
    now: now(),
    random: random(),
  });
  progress.touch(touchOf({ target, conclusion, outcome }));
  if (conclusion.kind !== "retire") progress.note(conclusion);
  else progress.note(await retire(parts, { target, before, conclusion }));
}
