import { Semaphore } from "#concurrency/semaphore.ts";
import { BULK_LANE, isQuarantined, isUnstarted } from "../delivery.ts";
import type { RunDeps, WorkerDeps } from "../deps.ts";
import type { Report } from "../result/watch.ts";
import { deliverQuarantined } from "./deliver-quarantined.ts";
import { splitRangeAgain, expandAudience, type RunStep } from "./expand.ts";
import type { HeldLease } from "./held-lease.ts";
import { loadDevices, type LoadInput } from "./load-devices.ts";
import { Progress } from "./progress.ts";
import { triageJob, tryAndRecord, type Run } from "./run.ts";
import { writeDurably } from "./settle.ts";
import type { DueDevice } from "./triage.ts";
import { retryWithinRun } from "./retry-within-run.ts";

/** Maximum number of a job's tries at one provider that wait for a permit. More would only use memory. */
const WAITING_MAX = 32;

/** Runs a step without a mark: only quarantined jobs mark their steps. */
const RUN_AT_ONCE: RunStep = (step) => step();

/** A job, the lease under which it runs, and the listener for its reports. */
export interface DeliverInput extends LoadInput {
  readonly heldLease: HeldLease;
  readonly onReport: (report: Report) => void;
}

/** The input of a run, and how this process got the lease: it accepted the job itself, or claimed it. */
export interface JobInput extends DeliverInput {
  /** True if the job was claimed. The process that accepted the job may have died before the run began. */
  readonly isClaimed: boolean;
}

/** Runs a job. Returns the time at which it is due again; null if it is finished. */
export async function runJob(deps: WorkerDeps, input: JobInput): Promise<number | null> {
  const { job, heldLease, isClaimed } = input;
  if (isClaimed && isUnstarted(job)) {
    await writeDurably(deps, () => deps.backfillFeed(job), heldLease.signal);
  }
  if (isQuarantined(job)) return deliverQuarantined(deps, input);
  if (job.work.kind !== "expand") return deliver(deps, input);
  await expandAudience(deps, { job, heldLease, runStep: RUN_AT_ONCE });
  return deps.now();
}

/**
 * Tries every due device of a job and records the results. Returns the time at which the job is due again; null if it
 * is finished.
 */
async function deliver(deps: RunDeps, input: DeliverInput): Promise<number | null> {
  const { job, heldLease, onReport } = input;
  // A bulk chunk occupies one of the few reading permits until its tries have begun.
  const releaseReadPermit = job.lane === BULK_LANE ? await deps.bulkPacer.enterChunk() : () => {};
  try {
    const loaded = await loadDevices(deps, input);
    if (loaded.isOversized)
      return await splitRangeAgain(deps, { job, heldLease, runStep: RUN_AT_ONCE });
    const progress = new Progress(deps, {
      job,
      heldLease,
      pending: loaded.pending,
      onReport,
    });
    const run = { job, heldLease, progress };
    const dueDevices = triageJob(deps, run, loaded);
    await tryAll(deps, run, { dueDevices, readAt: loaded.readAt, onBegun: releaseReadPermit });
    return await progress.finish();
  } finally {
    releaseReadPermit();
  }
}

interface DueDevices {
  readonly dueDevices: readonly DueDevice[];
  readonly readAt: number;
}

/**
 * Tries every device, and retries some while others have not responded yet. Bulk devices are retried by the next
 * run, because reading each of them separately would cost more than the wait.
 */
async function tryAll(
  deps: RunDeps,
  run: Run,
  { dueDevices, readAt, onBegun }: DueDevices & { readonly onBegun: () => void },
): Promise<void> {
  const byProvider = Map.groupBy(dueDevices, ({ target: { provider } }) => provider);
  const groups = [...byProvider.values()].map((group) =>
    beginTries(deps, run, { dueDevices: group, readAt }),
  );
  const firstTries = (await Promise.all(groups)).flat();
  onBegun();
  const end = Promise.all(firstTries.map(({ ended }) => ended));
  if (run.job.lane === BULK_LANE || firstTries.length < 2) {
    await end;
    return;
  }
  const retries = firstTries.map(async ({ dueDevice, ended }) => {
    await ended;
    await retryWithinRun(deps, run, { dueDevice, firstTriesEnd: end });
  });
  await Promise.all([end, ...retries]);
}

interface FirstTry {
  readonly dueDevice: DueDevice;
  readonly ended: Promise<void>;
}

/**
 * Begins the tries of one provider's devices as permits become free. Resolves once at most `WAITING_MAX` tries still
 * wait.
 */
async function beginTries(
  deps: RunDeps,
  run: Run,
  { dueDevices, readAt }: DueDevices,
): Promise<readonly FirstTry[]> {
  const waitingTries = new Semaphore(WAITING_MAX);
  const firstTries: FirstTry[] = [];
  for (const dueDevice of dueDevices) {
    const allowNext = await waitingTries.acquire();
    const ended = tryAndRecord(deps, run, { dueDevice, readAt, allowNext });
    // The caller awaits this promise later. Until then its rejection must not count as unhandled.
    ended.catch(() => {});
    firstTries.push({ dueDevice, ended });
  }
  return firstTries;
}
