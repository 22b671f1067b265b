import type { Audience } from "#devices/audiences/audience.ts";
import { audienceRange, audienceTargets } from "#devices/audiences/store.ts";
import type { Target } from "#devices/device.ts";
import {
  BULK,
  CHUNK_MAX,
  isSolo,
  untried,
  type DeviceRange,
  type LeasedJob,
  type Wait,
} from "../delivery.ts";
import { cutIntoChunks } from "./expand.ts";
import type { HeldLease } from "./held-lease.ts";
import type { RunDeps } from "../deps.ts";
import { Progress } from "./progress.ts";
import { Semaphore } from "#concurrency/semaphore.ts";
import { triageTargets, type Attemptable } from "./triage.ts";
import { tryAgain } from "./try-again.ts";
import { tryDevice, type TryInput } from "../attempt/try-device.ts";
import type { Report } from "../result/watch.ts";

/** Attempts of a job at one provider that wait for their place: more of them would only fill the memory. */
const WAITING_MAX = 32;

/** Devices of a range that are read at once: whoever else asks the database waits no longer than for these. */
const READ_AT_ONCE = 100;

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
export async function deliver(deps: RunDeps, input: DeliverInput): Promise<number | null> {
  const leave = input.job.lane === BULK ? await deps.bulkPacer.enter() : () => {};
  try {
    return await deliverNow(deps, { ...input, onBegun: leave });
  } finally {
    leave();
  }
}

/** `onBegun` is told once all attempts have begun, but for the few that wait. */
async function deliverNow(
  deps: RunDeps,
  input: DeliverInput & { readonly onBegun: () => void },
): Promise<number | null> {
  const { job, held } = input;
  const { pending, targets } = await load(deps, input);
  const readAt = deps.elapsed();
  if (job.work.kind === "range" && pending.length > CHUNK_MAX) {
    // Devices came into the range since it was cut: without another cut its last ones would be left out.
    const { notification, work } = job;
    await cutIntoChunks(deps, { notification, held, range: work.range, counted: CHUNK_MAX });
    return deps.now();
  }
  const mayAskAgain = (wait: Wait) => deps.breakers.mayAskAgain(wait);
  const sorted = triageTargets(deps, {
    notification: job.notification,
    pending,
    targets,
    mayAskAgain,
  });
  const progress = new Progress(deps, { job, held, pending, onReport: input.onReport });
  for (const result of sorted.results) progress.note({ kind: "final", result });
  const run = { job, held, progress, readAt };
  if (isSolo(job)) await trySolo(deps, run, sorted.attempts);
  else await tryAll(deps, run, { items: sorted.attempts, onBegun: input.onBegun });
  return progress.finish();
}

type Run = Omit<TryInput, "item" | "instead" | "letNext">;

/**
 * Tries every device, and some again while others have not answered. Not those of a crowd: to read each of them alone would
 * cost more than its wait.
 */
async function tryAll(
  deps: RunDeps,
  run: Run,
  { items, onBegun }: { readonly items: readonly Attemptable[]; readonly onBegun: () => void },
): Promise<void> {
  const lines = Map.groupBy(items, ({ target: { provider } }) => provider);
  const begun = await Promise.all([...lines.values()].map((line) => begin(deps, run, line)));
  onBegun();
  const first = begun.flat();
  const end = Promise.all(first.map(({ ended }) => ended));
  const mayTryAgain = run.job.lane === BULK ? [] : first;
  const again = mayTryAgain.map(async ({ item, ended }) => {
    await ended;
    await tryAgain(deps, { ...run, item }, end);
  });
  await Promise.all([end, ...again]);
}

interface FirstAttempt {
  readonly item: Attemptable;
  readonly ended: Promise<void>;
}

/** Begins the attempts at devices of one provider as it finds places for them; resolves once all have begun, but for a few. */
async function begin(
  deps: RunDeps,
  run: Run,
  items: readonly Attemptable[],
): Promise<readonly FirstAttempt[]> {
  const waiting = new Semaphore(WAITING_MAX);
  const begun: FirstAttempt[] = [];
  for (const item of items) {
    const letNext = await waiting.acquire();
    const ended = tryDevice(deps, { ...run, item, instead: null, letNext }).finally(letNext);
    // Seen where it is awaited; until then it must not count as unhandled.
    ended.catch(() => {});
    begun.push({ item, ended });
  }
  return begun;
}

/** One device after the other, so that the one is known whose attempt ends its process. */
async function trySolo(deps: RunDeps, run: Run, items: readonly Attemptable[]): Promise<void> {
  for (const item of items) {
    const isSuspected = item.before.deaths > 0;
    await deps.solo.use(isSuspected, (instead) =>
      tryDevice(deps, { ...run, item, instead, letNext() {} }),
    );
  }
}

async function load(deps: RunDeps, { job, targets }: DeliverInput) {
  const { work, notification } = job;
  if (work.kind === "devices") {
    const deviceIds = work.pending.map(({ deviceId }) => deviceId);
    const current = targets ?? (await audienceTargets(deps, notification.audience, { deviceIds }));
    deps.breakers.inheritWaits(work.pending);
    return { pending: work.pending, targets: current };
  }
  const read = await readRange(deps, notification.audience, work.range);
  return {
    pending: untried(
      read.map(({ deviceId }) => deviceId),
      deps.now(),
    ),
    targets: read,
  };
}

/** Returns the devices of a range, or so many that it is too large for one chunk. */
async function readRange(
  deps: RunDeps,
  audience: Audience,
  { after, upTo }: DeviceRange,
): Promise<readonly Target[]> {
  const read: Target[] = [];
  const rest = { after, upTo: upTo === "" ? null : upTo, limit: READ_AT_ONCE };
  for (let isMore = true; isMore && read.length <= CHUNK_MAX;) {
    const page = await audienceRange(deps, audience, rest);
    read.push(...page);
    rest.after = read.at(-1)?.position ?? after;
    isMore = page.length === READ_AT_ONCE;
  }
  return read;
}
