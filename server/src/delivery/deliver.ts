import { audienceRange, audienceTargets } from "#devices/audiences/store.ts";
import type { Target } from "#devices/device.ts";
import { BULK, CHUNK_MAX, isSolo, untried, type LeasedJob, type Wait } from "./delivery.ts";
import { cutIntoChunks } from "./expand.ts";
import type { HeldLease } from "./held-lease.ts";
import type { DeliveryParts } from "./parts.ts";
import { Progress } from "./progress.ts";
import { byPresentClock } from "./set-back.ts";
import { sortTargets, type Attemptable } from "./sort-out.ts";
import { tryDevice, type TryInput } from "./try-device.ts";
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
  const leave = input.job.lane === BULK ? await parts.crowd.enter() : () => {};
  try {
    return await deliverNow(parts, { ...input, onBegun: leave });
  } finally {
    leave();
  }
}

/** `onBegun` is told once the attempts at all devices have begun. */
async function deliverNow(
  parts: DeliveryParts,
  input: DeliverInput & { readonly onBegun: () => void },
): Promise<number | null> {
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
  const sorted = sortTargets(parts, {
    notification: job.notification,
    pending,
    targets,
    mayAskAgain,
  });
  const progress = new Progress(parts, { job, held, pending, onReport: input.onReport });
  for (const result of sorted.results) progress.note({ kind: "final", result });
  const run = { job, held, progress, readAt };
  if (isSolo(job)) await trySolo(parts, run, sorted.attempts);
  else {
    let left = sorted.attempts.length;
    const onBegun = () => {
      left -= 1;
      if (left === 0) input.onBegun();
    };
    await Promise.all(
      sorted.attempts.map((item) => tryDevice(parts, { ...run, item, instead: null, onBegun })),
    );
  }
  return progress.finish();
}

/** One device after the other, so that the one is known whose attempt ends its process. */
async function trySolo(
  parts: DeliveryParts,
  run: Omit<TryInput, "item" | "instead" | "onBegun">,
  items: readonly Attemptable[],
): Promise<void> {
  for (const item of items) {
    const isSuspected = item.before.deaths > 0;
    await parts.solo.use(isSuspected, (instead) =>
      tryDevice(parts, { ...run, item, instead, onBegun() {} }),
    );
  }
}

async function load(parts: DeliveryParts, { job, targets }: DeliverInput) {
  const { work, notification } = job;
  if (work.kind === "devices") {
    const deviceIds = work.pending.map(({ deviceId }) => deviceId);
    const current = targets ?? (await audienceTargets(parts, notification.audience, { deviceIds }));
    parts.breakers.inheritWaits(work.pending);
    const clock = { now: parts.now(), setBack: parts.clock.latest };
    return { pending: byPresentClock(work.pending, clock), targets: current };
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
