import { concludeDeath, crashedResult, DEATHS_MAX } from "../attempt/death.ts";
import { deviceStateOfReport, type Tried } from "../attempt/tried.ts";
import { tryDevice } from "../attempt/try-device.ts";
import type { DeliveryResult, PendingDevice } from "../delivery.ts";
import type { QuarantinedRunDeps } from "../deps.ts";
import type { Report } from "../result/watch.ts";
import type { DeliverInput } from "./deliver.ts";
import { cutAgain, expand } from "./expand.ts";
import { load, type Loaded } from "./load.ts";
import { Marks } from "./marks.ts";
import { Progress } from "./progress.ts";
import { triageJob, type Run } from "./run.ts";
import { settleDurably } from "./settle.ts";
import type { Attemptable } from "./triage.ts";

type QuarantinedInput = Omit<DeliverInput, "targets">;

/**
 * Runs a job that several processes died with, one step at a time. Each step is marked in the job's row before it begins. Two
 * crashes in a row at one device end its delivery. Two crashes at different steps end the rest of the job, because the message
 * itself must be the cause. Returns the time at which the job is due again; null if it is finished.
 */
export async function deliverQuarantined(
  deps: QuarantinedRunDeps,
  input: QuarantinedInput,
): Promise<number | null> {
  const { job, held } = input;
  const marks = new Marks(deps, input);
  if (marks.deaths >= DEATHS_MAX && job.suspect?.deviceId === null) return giveUp(deps, input);
  const inStep = <T>(step: () => Promise<T>) =>
    deps.quarantine.run(async () => ((await marks.set(null)) ? step() : null));
  if (job.work.kind === "expand") {
    await expand(deps, { job, held, inStep });
    return releaseJob(deps, input);
  }
  const loaded = await inStep(async () => {
    const read = await load(deps, { job, targets: null });
    await marks.clear();
    return read;
  });
  if (loaded === null) return releaseJob(deps, input);
  if (loaded.isOverfull) return cutAgain(deps, { job, held, inStep });
  const { onReport } = input;
  const progress = new Progress(deps, { job, held, pending: loaded.pending, onReport });
  const run = { job, held, progress, marks };
  const { targets, readAt } = loaded;
  const pending = noteDeath(deps, run, loaded);
  for (const item of triageJob(deps, run, { pending, targets })) {
    await deps.quarantine.run(() => tryMarked(deps, run, { item, readAt }));
  }
  return progress.finish();
}

interface QuarantinedRun extends Run {
  readonly marks: Marks;
}

/** Makes one marked attempt, and records its result before another marked step begins in this process. */
async function tryMarked(
  deps: QuarantinedRunDeps,
  { job, held, progress, marks }: QuarantinedRun,
  { item, readAt }: { readonly item: Attemptable; readonly readAt: number },
): Promise<void> {
  let isMarked = false;
  const mark = async () => {
    await progress.record();
    isMarked = await marks.set(item.target.deviceId);
    return isMarked;
  };
  const tried = await tryDevice(deps, { job, held, item, readAt, mark, letNext() {} });
  if (tried !== null) progress.note(isMarked ? withoutDeaths(tried) : tried);
  if (!isMarked) return;
  marks.forgetDeaths();
  await progress.record();
}

/** Resets the crash count of a device whose attempt ended without a crash. */
function withoutDeaths({ report, deviceState }: Tried): Tried {
  if (report.kind === "final") return { report, deviceState };
  return { report: { kind: "pending", pending: { ...report.pending, deaths: 0 } }, deviceState };
}

/** Notes the last crash at the suspect device; returns the devices that are still pending. */
function noteDeath(
  deps: QuarantinedRunDeps,
  run: QuarantinedRun,
  { pending, targets }: Loaded,
): readonly PendingDevice[] {
  const { job, progress, marks } = run;
  const before = pending.find(({ deviceId }) => deviceId === job.suspect?.deviceId);
  const target = targets.find(({ deviceId }) => deviceId === before?.deviceId);
  if (before === undefined || target === undefined) return pending;
  const { notification } = job;
  const { deviceId, provider } = target;
  const report = concludeDeath(deps, { before, provider, notification });
  const facts = { notificationId: notification.id, deviceId, provider };
  if (report.kind === "final") {
    deps.log.error(facts, `an attempt ${GIVEN_UP}`);
    marks.forgetDeaths();
    noteReport(progress, report);
    return pending.filter((device) => device !== before);
  }
  const owed = pending.map((device) => (device === before ? report.pending : device));
  if (marks.deaths >= DEATHS_MAX) {
    deps.log.error(facts, `a message ${GIVEN_UP}`);
    const providers = new Map(targets.map((current) => [current.deviceId, current.provider]));
    endAll(deps, run, { owed, providers });
    return [];
  }
  deps.log.warn(facts, "a process ended during an attempt");
  noteReport(progress, report);
  return owed;
}

const GIVEN_UP =
  "ended its process again, and is not tried any more; this is a fault of the server or of this machine";

/** Ends a job that crashed processes while it was read. Each device of a list gets a result. */
async function giveUp(
  deps: QuarantinedRunDeps,
  { job, held, onReport }: QuarantinedInput,
): Promise<null> {
  const { work, notification, lease } = job;
  const { id: notificationId } = notification;
  deps.log.error(
    { notificationId, jobId: lease.jobId, kind: work.kind },
    `a job's reading ${GIVEN_UP}`,
  );
  if (work.kind === "devices") {
    const { pending } = work;
    const progress = new Progress(deps, { job, held, pending, onReport });
    endAll(deps, { progress }, { owed: pending, providers: new Map() });
    await progress.finish();
    return null;
  }
  const id = deps.newId();
  const next = { kind: "done" } as const;
  const done = { id, lease: held.lease, notificationId, results: [], news: null, next };
  await settleDurably(deps, () => done, held.signal);
  return null;
}

function endAll(
  { now }: Pick<QuarantinedRunDeps, "now">,
  { progress }: Pick<Run, "progress">,
  input: {
    readonly owed: readonly PendingDevice[];
    readonly providers: ReadonlyMap<string, DeliveryResult["provider"]>;
  },
): void {
  for (const before of input.owed) {
    // The provider of a device that cannot be read is unknown. The text for Web Push fits every provider.
    const provider = input.providers.get(before.deviceId) ?? "webpush";
    const result = crashedResult({ before, provider, at: now() });
    noteReport(progress, { kind: "final", result });
  }
}

function noteReport(progress: Progress, report: Report): void {
  progress.note({ report, deviceState: deviceStateOfReport(report) });
}

/** Releases a job if no step may begin any more. Has no effect on a job that ended. */
async function releaseJob(
  { store, now }: QuarantinedRunDeps,
  { held }: QuarantinedInput,
): Promise<number> {
  await store.release([held.lease], now());
  return now();
}
