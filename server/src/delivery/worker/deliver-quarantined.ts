import { concludeCrash, createCrashedResult, CRASHES_MAX } from "../attempt/conclude-crash.ts";
import { getReportedDeviceState, type TryResult } from "../attempt/try-result.ts";
import { tryDevice } from "../attempt/try-device.ts";
import type { DeliveryResult, PendingDevice } from "../delivery.ts";
import type { QuarantinedRunDeps } from "../deps.ts";
import type { Report } from "../result/watch.ts";
import type { DeliverInput } from "./run-job.ts";
import { splitRangeAgain, expandAudience } from "./expand.ts";
import { loadDevices, type LoadedDevices } from "./load-devices.ts";
import { StepMarks } from "./step-marks.ts";
import { Progress } from "./progress.ts";
import { triageJob, type Run } from "./run.ts";
import { settleDurably } from "./settle.ts";
import type { DueDevice } from "./triage.ts";

type QuarantinedInput = Omit<DeliverInput, "targets">;

/**
 * Runs a job during which several processes died, one step at a time. Each step is marked in the job's row before it
 * begins. Two crashes in a row at one device end its delivery. Two crashes in a row at different steps, or while the
 * devices are read or expanded, end the rest of the job. Returns the time at which the job is due again; null if it is
 * finished.
 */
export async function deliverQuarantined(
  deps: QuarantinedRunDeps,
  input: QuarantinedInput,
): Promise<number | null> {
  const { job, heldLease } = input;
  const marks = new StepMarks(deps, input);
  if (marks.crashes >= CRASHES_MAX && job.suspect?.deviceId === null) return giveUpJob(deps, input);
  const runStep = <T>(step: () => Promise<T>) =>
    deps.quarantine.run(async () => ((await marks.setMark(null)) ? step() : null));
  if (job.work.kind === "expand") {
    await expandAudience(deps, { job, heldLease, runStep });
    return releaseJob(deps, input);
  }
  const loaded = await runStep(async () => {
    const read = await loadDevices(deps, { job, targets: null });
    await marks.clearMark();
    return read;
  });
  if (loaded === null) return releaseJob(deps, input);
  if (loaded.isOversized) return splitRangeAgain(deps, { job, heldLease, runStep });
  const { onReport } = input;
  const progress = new Progress(deps, { job, heldLease, pending: loaded.pending, onReport });
  const run = { job, heldLease, progress, marks };
  const { targets, fetched, hasAct, readAt } = loaded;
  const pending = recordCrash(deps, run, loaded);
  for (const dueDevice of triageJob(deps, run, { pending, targets, fetched, hasAct })) {
    await deps.quarantine.run(() => tryMarked(deps, run, { dueDevice, readAt }));
  }
  return progress.finish();
}

interface QuarantinedRun extends Run {
  readonly marks: StepMarks;
}

/** Makes one marked attempt, and records its result before another marked step begins in this process. */
async function tryMarked(
  deps: QuarantinedRunDeps,
  { job, heldLease, progress, marks }: QuarantinedRun,
  { dueDevice, readAt }: { readonly dueDevice: DueDevice; readonly readAt: number },
): Promise<void> {
  let isMarked = false;
  const writeMark = async () => {
    await progress.flush();
    isMarked = await marks.setMark(dueDevice.target.deviceId);
    return isMarked;
  };
  const result = await tryDevice(deps, {
    job,
    heldLease,
    dueDevice,
    readAt,
    writeMark,
    allowNext() {},
  });
  if (result !== null) progress.addResult(isMarked ? resetDeviceCrashes(result) : result);
  if (!isMarked) return;
  marks.resetCrashes();
  await progress.flush();
}

/** Resets the crash count of a device whose attempt ended without a crash. */
function resetDeviceCrashes({ report, deviceState }: TryResult): TryResult {
  if (report.kind === "final") return { report, deviceState };
  return { report: { kind: "pending", pending: { ...report.pending, crashes: 0 } }, deviceState };
}

/** Records the last crash at the suspect device; returns the devices that are still pending. */
function recordCrash(
  deps: QuarantinedRunDeps,
  run: QuarantinedRun,
  { pending, targets }: LoadedDevices,
): readonly PendingDevice[] {
  const { job, progress, marks } = run;
  const pendingDevice = pending.find(({ deviceId }) => deviceId === job.suspect?.deviceId);
  const target = targets.find(({ deviceId }) => deviceId === pendingDevice?.deviceId);
  if (pendingDevice === undefined || target === undefined) return pending;
  const { notification } = job;
  const { deviceId, provider } = target;
  const report = concludeCrash(deps, { pendingDevice, provider, notification });
  const facts = { notificationId: notification.id, deviceId, provider };
  if (report.kind === "final") {
    deps.log.error(facts, `an attempt ${GIVEN_UP}`);
    marks.resetCrashes();
    addReport(progress, report);
    return pending.filter((device) => device !== pendingDevice);
  }
  const remaining = pending.map((device) => (device === pendingDevice ? report.pending : device));
  if (marks.crashes >= CRASHES_MAX) {
    deps.log.error(facts, `a message ${GIVEN_UP}`);
    const providers = new Map(targets.map((current) => [current.deviceId, current.provider]));
    endAllDeliveries(deps, run, { pending: remaining, providers });
    return [];
  }
  deps.log.warn(facts, "a process crashed during an attempt");
  addReport(progress, report);
  return remaining;
}

const GIVEN_UP =
  "crashed the process again and is not repeated; the cause is a bug of the server or a fault of this machine";

/** Ends a job that crashed processes while it was read. Each device of a list gets a result. */
async function giveUpJob(
  deps: QuarantinedRunDeps,
  { job, heldLease, onReport }: QuarantinedInput,
): Promise<null> {
  const { work, notification, lease } = job;
  const { id: notificationId } = notification;
  deps.log.error(
    { notificationId, jobId: lease.jobId, kind: work.kind },
    `reading a job ${GIVEN_UP}`,
  );
  if (work.kind === "devices") {
    const { pending } = work;
    const progress = new Progress(deps, { job, heldLease, pending, onReport });
    endAllDeliveries(deps, { progress }, { pending, providers: new Map() });
    await progress.finish();
    return null;
  }
  const id = deps.newId();
  const next = { kind: "done" } as const;
  const done = {
    id,
    lease: heldLease.lease,
    notificationId,
    results: [],
    deviceStateUpdate: null,
    next,
  };
  await settleDurably(deps, () => done, heldLease.signal);
  return null;
}

function endAllDeliveries(
  { now }: Pick<QuarantinedRunDeps, "now">,
  { progress }: Pick<Run, "progress">,
  input: {
    readonly pending: readonly PendingDevice[];
    readonly providers: ReadonlyMap<string, DeliveryResult["provider"]>;
  },
): void {
  for (const pendingDevice of input.pending) {
    // The provider of a device that cannot be read is unknown. The text for Web Push fits every provider.
    const provider = input.providers.get(pendingDevice.deviceId) ?? "webpush";
    const result = createCrashedResult({ pendingDevice, provider, at: now() });
    addReport(progress, { kind: "final", result });
  }
}

function addReport(progress: Progress, report: Report): void {
  progress.addResult({ report, deviceState: getReportedDeviceState(report) });
}

/** Releases the job's lease, because no further step may begin. Has no effect on a job that ended. */
async function releaseJob(
  { store, now }: QuarantinedRunDeps,
  { heldLease }: QuarantinedInput,
): Promise<number> {
  await store.releaseLeases([heldLease.lease], now());
  return now();
}
