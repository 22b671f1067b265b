import { audienceRange, audienceTargets } from "#devices/audiences/store.ts";
import { retireGone } from "#devices/retirement/store.ts";
import { addressHashOf } from "#devices/address.ts";
import type { Target } from "#devices/device.ts";
import { attempt } from "./attempt.ts";
import { conclude, type Conclusion } from "./conclude.ts";
import { CHUNK_MAX, untried, type LeasedJob, type PendingDevice } from "./delivery.ts";
import { cutIntoChunks } from "./expand.ts";
import type { HeldLease } from "./held-lease.ts";
import type { DeliveryParts } from "./parts.ts";
import { Progress } from "./progress.ts";
import { sortOut, type Attemptable } from "./sort-out.ts";
import { touchOf } from "./touch.ts";
import type { Report } from "./watch.ts";

/** A device that could not be retired is asked for again after this, and says the same. */
const RETIRE_AGAIN_MS = 1_000;

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

async function tryOne(
  parts: DeliveryParts,
  { job, held, progress, item }: TryInput,
): Promise<void> {
  await parts.slots.use(job.lane, async () => {
    const { before, target } = item;
    // Not begun is not failed: the device stays pending.
    if (!held.mayBegin(parts.now())) return;
    const provider = parts.providers.get(target.provider);
    if (provider === undefined) return;
    const { notification } = job;
    const outcome = await attempt(parts, { provider, notification, target, signal: held.signal });
    const { now, random } = parts;
    const conclusion = conclude({
      outcome,
      target,
      before,
      notification,
      now: now(),
      random: random(),
    });
    progress.touch(touchOf({ target, conclusion, outcome }));
    progress.note(await reportOf(parts, { conclusion, target, before }));
  });
}

/** Retires a device whose address is gone; one that was registered again meanwhile is tried there at once. */
async function reportOf(
  parts: DeliveryParts,
  input: { conclusion: Conclusion; target: Target; before: PendingDevice },
): Promise<Report> {
  const { conclusion, target, before } = input;
  if (conclusion.kind !== "retire") return conclusion;
  const { accountId, deviceId } = target;
  const attempts = before.attempts + 1;
  const again = { deviceId, attempts, code: "transient" as const };
  try {
    if (await retire(parts, { target, conclusion })) {
      parts.onDeviceChanged({ accountId, deviceId });
      return { kind: "final", result: conclusion.result };
    }
  } catch (error) {
    parts.log.warn({ err: error, deviceId }, "a device cannot be retired yet");
    const runAt = parts.now() + RETIRE_AGAIN_MS;
    return { kind: "pending", pending: { ...again, runAt, detail: null } };
  }
  const detail = "the device registered again";
  return { kind: "pending", pending: { ...again, runAt: parts.now(), detail } };
}

function retire(
  parts: DeliveryParts,
  { target, conclusion }: { target: Target; conclusion: Conclusion & { kind: "retire" } },
): Promise<boolean> {
  const { deviceId, address } = target;
  const { asOf, result } = conclusion;
  const addressHash = addressHashOf(address);
  return retireGone(parts, { deviceId, addressHash, asOf, reason: result.code });
}
