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
 * Runs a job that several processes died with: one step at a time, each named in the job's row before it begins. Two deaths
 * in a row at the attempts of one device end its delivery; two at different steps end all that is left of the job, as then
 * the message ends the process. Returns when the job is due again, or null where nothing of it is left.
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
    return giveBack(deps, input);
  }
  const loaded = await inStep(async () => {
    const read = await load(deps, { job, targets: null });
    await marks.clear();
    return read;
  });
  if (loaded === null) return giveBack(deps, input);
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

/** Makes one attempt under its mark, and records the result before another marked step begins in this process. */
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
  if (tried !== null) progress.note(isMarked ? cleared(tried) : tried);
  if (!isMarked) return;
  marks.forgetDeaths();
  await progress.record();
}

/** An attempt that came to an answer clears its device of the death before. */
function cleared({ report, deviceState }: Tried): Tried {
  if (report.kind === "final") return { report, deviceState };
  return { report: { kind: "pending", pending: { ...report.pending, deaths: 0 } }, deviceState };
}

/** Notes what the last death says of a job's devices; returns those that are still owed their notification. */
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
    deps.log.error(facts, `an attempt ${AGAIN}`);
    marks.forgetDeaths();
    noteReport(progress, report);
    return pending.filter((device) => device !== before);
  }
  const owed = pending.map((device) => (device === before ? report.pending : device));
  if (marks.deaths >= DEATHS_MAX) {
    deps.log.error(facts, `a message ${AGAIN}`);
    const providers = new Map(targets.map((one) => [one.deviceId, one.provider]));
    endAll(deps, run, { owed, providers });
    return [];
  }
  deps.log.warn(facts, "a process ended during an attempt");
  noteReport(progress, report);
  return owed;
}

const AGAIN =
  "ended its process again, and is not tried any more; this is a fault of the server or of this machine";

/** Ends a job at whose reading processes died; of a list, each device gets its result. */
async function giveUp(
  deps: QuarantinedRunDeps,
  { job, held, onReport }: QuarantinedInput,
): Promise<null> {
  const { work, notification, lease } = job;
  const { id: notificationId } = notification;
  deps.log.error(
    { notificationId, jobId: lease.jobId, kind: work.kind },
    `a job's reading ${AGAIN}`,
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
    // A device that cannot be read has no known provider; the words for Web Push fit any.
    const provider = input.providers.get(before.deviceId) ?? "webpush";
    const result = crashedResult({ before, provider, at: now() });
    noteReport(progress, { kind: "final", result });
  }
}

function noteReport(progress: Progress, report: Report): void {
  progress.note({ report, deviceState: deviceStateOfReport(report) });
}

/** Gives back what is left of a job where no step may begin any more; a job that ended has no lease to give back. */
async function giveBack(
  { store, now }: QuarantinedRunDeps,
  { held }: QuarantinedInput,
): Promise<number> {
  await store.release([held.lease], now());
  return now();
}
