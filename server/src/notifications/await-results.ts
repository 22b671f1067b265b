import type { Context } from "#context.ts";
import type { Audience } from "#devices/audiences/audience.ts";
import type { Delivery } from "#delivery/create-delivery.ts";
import { maybeStored } from "#delivery/accept/accept-errors.ts";
import type { Report, Watch } from "#delivery/result/watch.ts";
import { answerSend, TOO_MANY_TO_AWAIT, type Addressed, type SendAnswer } from "./answer.ts";
import { findRecorded, findResults } from "./log/store.ts";
import type { Sent } from "./send.ts";

export interface AwaitDeps extends HearDeps {
  readonly delivery: Delivery;
}

interface HearDeps {
  readonly context: Context;
  readonly delivery: Pick<Delivery, "watchRemote"> & {
    readonly worker: Pick<Delivery["worker"], "watchOf">;
  };
  readonly syncWaitMs: number;
}

/**
 * Waits for the first attempt on every device, at most `syncWaitMs`, and returns the answer to a synchronous send. A
 * repeated request gets the current results of the notification that it repeats.
 */
export async function awaitResults(
  deps: HearDeps,
  { audience, sent }: { audience: Audience; sent: Sent },
): Promise<SendAnswer> {
  const { delivery, syncWaitMs } = deps;
  const { notificationId, handedOver, targets } = sent;
  if (targets === null) return TOO_MANY_TO_AWAIT;
  const watch =
    handedOver.kind === "accepted" ? handedOver.watch : delivery.worker.watchOf(notificationId);
  let recorded: Reports = new Map();
  if (watch === null) recorded = await recordedNow(deps, sent);
  else if (watch.isElsewhere) await hear(deps, { notificationId, watch });
  else await watch.wait(syncWaitMs);
  const reportOf = (deviceId: string) => watch?.report(deviceId) ?? recorded.get(deviceId) ?? null;
  if (handedOver.kind === "accepted") {
    return answerSend({ audience, targets, reportOf, life: handedOver.notification });
  }
  const deviceIds = watch?.deviceIds ?? [...recorded.keys()];
  // The audience was too large then and has shrunk since.
  if (deviceIds.length > TARGETS_MAX) return TOO_MANY_TO_AWAIT;
  const meant = addressedBefore({ audience, targets, deviceIds, reportOf });
  return answerSend({ audience, targets: meant, reportOf, life: null });
}

interface Repeated {
  readonly audience: Audience;
  readonly targets: readonly Addressed[];
  /** The devices that the notification was for. */
  readonly deviceIds: readonly string[];
  readonly reportOf: (deviceId: string) => Report | null;
}

/** Returns the devices that the notification was for: without later ones, and with those that left since. */
function addressedBefore(repeated: Repeated): readonly Addressed[] {
  const { audience, targets, deviceIds, reportOf } = repeated;
  const meant = new Set(deviceIds);
  const present = targets.filter(({ deviceId }) => meant.has(deviceId));
  const former = meant.difference(new Set(present.map(({ deviceId }) => deviceId)));
  const others = [...former].toSorted();
  const all = [...present, ...others.map((deviceId) => formerly(deviceId, reportOf))];
  // A team's devices are ordered by their owners, which are unknown for removed devices.
  return audience.kind === "team" ? all : all.toSorted(byDeviceId);
}

function formerly(deviceId: string, reportOf: Repeated["reportOf"]): Addressed {
  const report = reportOf(deviceId);
  return { deviceId, provider: report?.kind === "final" ? report.result.provider : null };
}

function byDeviceId(one: Addressed, other: Addressed): number {
  return one.deviceId < other.deviceId ? -1 : 1;
}

type Reports = ReadonlyMap<string, Report>;

/**
 * Returns the current results. A notification that was just stored counts as accepted even if it cannot be read back; of a
 * repetition nothing else is known.
 */
async function recordedNow(deps: HearDeps, { notificationId, handedOver }: Sent): Promise<Reports> {
  const { engine } = deps.context.database;
  try {
    return await repeatedReports(deps, notificationId);
  } catch (error) {
    if (!engine.isUnavailable(error)) throw error;
    if (handedOver.kind === "accepted") return new Map();
    throw maybeStored(error);
  }
}

/**
 * Returns the reports of a repeated notification. Another process may be sending it, so this waits for its first attempts as
 * well.
 */
async function repeatedReports(deps: HearDeps, notificationId: string): Promise<Reports> {
  const { context, delivery } = deps;
  const recorded = await recordedReports(context, notificationId);
  const untried = [...recorded].filter(([, report]) => isUntried(report));
  const deviceIds = untried.map(([deviceId]) => deviceId);
  const watch = deviceIds.length === 0 ? null : delivery.watchRemote(notificationId, deviceIds);
  if (watch === null) return recorded;
  // Reports from before the subscription are not published again.
  await look(context, { notificationId, watch });
  await hear(deps, { notificationId, watch });
  // A published report may not be recorded yet.
  const heard = deviceIds.flatMap((deviceId): [string, Report][] => {
    const report = watch.report(deviceId);
    return report === null ? [] : [[deviceId, report]];
  });
  return new Map([...recorded, ...heard]);
}

interface WatchedNotification {
  readonly notificationId: string;
  readonly watch: Watch;
}

/** Reports of another process may get lost, so the database is read after this time, then after twice as long, … */
const LOOK_AFTER_MS = 250;

/**
 * Waits for the reports of another process, which publishes them before it records them. A report may get lost on the way.
 */
async function hear(
  { context, syncWaitMs }: HearDeps,
  { notificationId, watch }: WatchedNotification,
): Promise<void> {
  let left = syncWaitMs;
  for (let step = LOOK_AFTER_MS; left > 0 && !watch.isComplete; step *= 2) {
    await watch.wait(Math.min(step, left));
    left -= step;
    if (!watch.isComplete) await lookIfPossible(context, { notificationId, watch });
  }
}

/** Reads the recorded results; does nothing if the database does not answer. */
async function lookIfPossible(context: Context, watched: WatchedNotification): Promise<void> {
  try {
    await look(context, watched);
  } catch (error) {
    if (!context.database.engine.isUnavailable(error)) throw error;
  }
}

/** Takes over the recorded results of first attempts. */
async function look(
  context: Context,
  { notificationId, watch }: WatchedNotification,
): Promise<void> {
  const recorded = await recordedReports(context, notificationId);
  for (const [deviceId, report] of recorded) {
    const isNews = !isUntried(report) && watch.report(deviceId)?.kind !== "final";
    if (isNews) watch.note(report);
  }
}

function isUntried(report: Report): boolean {
  return report.kind === "pending" && report.pending.code === null;
}

const TARGETS_MAX = 500;

async function recordedReports(context: Context, notificationId: string): Promise<Reports> {
  // In this order, a delivery that ends in between is in both results, and not in neither.
  const { pending } = await findRecorded(context, [notificationId]);
  const results = await findResults(context, { notificationId, limit: TARGETS_MAX + 1 });
  const reports = new Map<string, Report>();
  for (const device of pending.get(notificationId) ?? []) {
    reports.set(device.deviceId, { kind: "pending", pending: device });
  }
  for (const result of results) reports.set(result.deviceId, { kind: "final", result });
  return reports;
}
