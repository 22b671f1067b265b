import { Semaphore } from "#concurrency/semaphore.ts";
import { BULK, isQuarantined, isUntouched } from "../delivery.ts";
import type { RunDeps, WorkerDeps } from "../deps.ts";
import type { Report } from "../result/watch.ts";
import { deliverQuarantined } from "./deliver-quarantined.ts";
import { cutAgain, expand } from "./expand.ts";
import type { HeldLease } from "./held-lease.ts";
import { load, type LoadInput } from "./load.ts";
import { Progress } from "./progress.ts";
import { triageJob, tryAndNote, type Run } from "./run.ts";
import { writeDurably } from "./settle.ts";
import type { Attemptable } from "./triage.ts";
import { tryAgain } from "./try-again.ts";

/** Maximum of a job's tries at one provider that wait for a permit or a place. More would only use memory. */
const WAITING_MAX = 32;

export interface DeliverInput extends LoadInput {
  readonly held: HeldLease;
  readonly onReport: (report: Report) => void;
}

export interface JobInput extends DeliverInput {
  /** True if the job was claimed, so that the process that accepted it may not have begun it. */
  readonly isTakenOver: boolean;
}

/** Runs a job. Returns the time at which it is due again; null if it is finished. */
export async function runJob(deps: WorkerDeps, input: JobInput): Promise<number | null> {
  const { job, held, isTakenOver } = input;
  if (isTakenOver && isUntouched(job)) {
    await writeDurably(deps, () => deps.fileLate(job), held.signal);
  }
  if (isQuarantined(job)) return deliverQuarantined(deps, input);
  if (job.work.kind !== "expand") return deliver(deps, input);
  await expand(deps, { job, held, inStep: (step) => step() });
  return deps.now();
}

/**
 * Tries every due device of a job and records the results. Returns the time at which the job is due again; null if it is
 * finished.
 */
async function deliver(deps: RunDeps, input: DeliverInput): Promise<number | null> {
  const { job, held, onReport } = input;
  // A bulk chunk occupies one of the few reading permits until its tries have begun.
  const leave = job.lane === BULK ? await deps.bulkPacer.enter() : () => {};
  try {
    const loaded = await load(deps, input);
    if (loaded.isOverfull) return await cutAgain(deps, { job, held, inStep: (step) => step() });
    const progress = new Progress(deps, { job, held, pending: loaded.pending, onReport });
    const run = { job, held, progress };
    const items = triageJob(deps, run, loaded);
    await tryAll(deps, run, { items, readAt: loaded.readAt, onBegun: leave });
    return await progress.finish();
  } finally {
    leave();
  }
}

interface Due {
  readonly items: readonly Attemptable[];
  readonly readAt: number;
}

/**
 * Tries every device, and retries some while others have not responded yet. Retries of bulk devices are left to the next run,
 * because reading each of them separately would cost more than the wait.
 */
async function tryAll(
  deps: RunDeps,
  run: Run,
  { items, readAt, onBegun }: Due & { readonly onBegun: () => void },
): Promise<void> {
  const byProvider = Map.groupBy(items, ({ target: { provider } }) => provider);
  const groups = [...byProvider.values()].map((group) =>
    begin(deps, run, { items: group, readAt }),
  );
  const firstTries = (await Promise.all(groups)).flat();
  onBegun();
  const end = Promise.all(firstTries.map(({ ended }) => ended));
  if (run.job.lane === BULK || firstTries.length < 2) {
    await end;
    return;
  }
  const retries = firstTries.map(async ({ item, ended }) => {
    await ended;
    await tryAgain(deps, run, { item, othersEnd: end });
  });
  await Promise.all([end, ...retries]);
}

interface FirstTry {
  readonly item: Attemptable;
  readonly ended: Promise<void>;
}

/** Begins the tries of one provider's devices as permits become free. Resolves once at most a few still wait. */
async function begin(
  deps: RunDeps,
  run: Run,
  { items, readAt }: Due,
): Promise<readonly FirstTry[]> {
  const waiting = new Semaphore(WAITING_MAX);
  const firstTries: FirstTry[] = [];
  for (const item of items) {
    const letNext = await waiting.acquire();
    const ended = tryAndNote(deps, run, { item, readAt, letNext });
    // The caller awaits the rejection later. Until then it must not count as unhandled.
    ended.catch(() => {});
    firstTries.push({ item, ended });
  }
  return firstTries;
}
