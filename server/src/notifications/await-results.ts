import type { Context } from "#context.ts";
import type { Audience } from "#devices/audiences/audience.ts";
import type { Delivery } from "#delivery/create-delivery.ts";
import { maybeStored } from "#delivery/accept/accept-errors.ts";
import type { Report, Watch } from "#delivery/result/watch.ts";
import { answerSend, TOO_MANY_TO_AWAIT, type Addressed, type SendAnswer } from "./answer.ts";
import { findRecorded, findResults } from "./log/store.ts";
import type { Sent } from "./send.ts";

export interface AwaitDeps extends ResultDeps {
  readonly delivery: Delivery;
}

interface ResultDeps {
  readonly context: Context;
  readonly delivery: Pick<Delivery, "watchRemote"> & {
    readonly worker: Pick<Delivery["worker"], "watchOf">;
  };
  readonly syncWaitMs: number;
}

/**
 * Waits for the first attempt on every device, at most `syncWaitMs`, and returns the response to a synchronous send.
 * A repeated request gets the current results of the notification that it repeats.
 */
export async function awaitResults(
  deps: ResultDeps,
  { audience, sent }: { audience: Audience; sent: Sent },
): Promise<SendAnswer> {
  const { delivery, syncWaitMs } = deps;
  const { notificationId, handedOver, targets } = sent;
  if (targets === null) return TOO_MANY_TO_AWAIT;
  const watch =
    handedOver.kind === "accepted" ? handedOver.watch : delivery.worker.watchOf(notificationId);
  let recorded: Reports = new Map();
  if (watch === null) recorded = await currentReports(deps, sent);
  else if (watch.isElsewhere) await awaitRemote(deps, { notificationId, watch });
  else await watch.wait(syncWaitMs);
  const reportOf = (deviceId: string) => watch?.report(deviceId) ?? recorded.get(deviceId) ?? null;
  if (handedOver.kind === "accepted") {
    return answerSend({ audience, targets, reportOf, life: handedOver.notification });
  }
  const deviceIds = watch?.deviceIds ?? [...recorded.keys()];
  // The audience was too large when the notification was sent, and has shrunk since then.
  if (deviceIds.length > TARGETS_MAX) return TOO_MANY_TO_AWAIT;
  const recipients = originalRecipients({ audience, targets, deviceIds, reportOf });
  return answerSend({ audience, targets: recipients, reportOf, life: null });
}

interface Repeated {
  readonly audience: Audience;
  readonly targets: readonly Addressed[];
  /** The devices that the notification was for. */
  readonly deviceIds: readonly string[];
  readonly reportOf: (deviceId: string) => Report | null;
}

/** Returns the devices that the notification was for: without devices added later, and with devices that left since then. */
function originalRecipients(repeated: Repeated): readonly Addressed[] {
  const { audience, targets, deviceIds, reportOf } = repeated;
  const recipients = new Set(deviceIds);
  const present = targets.filter(({ deviceId }) => recipients.has(deviceId));
  const former = recipients.difference(new Set(present.map(({ deviceId }) => deviceId)));
  const formerIds = [...former].toSorted();
  const devices = [...present, ...formerIds.map((deviceId) => formerDevice(deviceId, reportOf))];
  // A team's devices are ordered by their owners, which are unknown for removed devices.
  return audience.kind === "team" ? devices : devices.toSorted(byDeviceId);
}

function formerDevice(deviceId: string, reportOf: Repeated["reportOf"]): Addressed {
  const report = reportOf(deviceId);
  return { deviceId, provider: report?.kind === "final" ? report.result.provider : null };
}

function byDeviceId(one: Addressed, other: Addressed): number {
  return one.deviceId < other.deviceId ? -1 : 1;
}

type Reports = ReadonlyMap<string, Report>;

/**
 * Returns the current results. A notification that was just stored counts as accepted even if it cannot be read
 * back. For a repetition, nothing else is known.
 */
async function currentReports(
  deps: ResultDeps,
  { notificationId, handedOver }: Sent,
): Promise<Reports> {
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
 * Returns the reports of a repeated notification. Another process may be sending it, so this also waits for its
 * first attempts.
 */
async function repeatedReports(deps: ResultDeps, notificationId: string): Promise<Reports> {
  const { context, delivery } = deps;
  const recorded = await recordedReports(context, notificationId);
  const untried = [...recorded].filter(([, report]) => isUntried(report));
  const deviceIds = untried.map(([deviceId]) => deviceId);
  const watch = deviceIds.length === 0 ? null : delivery.watchRemote(notificationId, deviceIds);
  if (watch === null) return recorded;
  // Reports from before the subscription are not published again.
  await readRecorded(context, { notificationId, watch });
  await awaitRemote(deps, { notificationId, watch });
  // A published report may not be recorded yet.
  const published = deviceIds.flatMap((deviceId): [string, Report][] => {
    const report = watch.report(deviceId);
    return report === null ? [] : [[deviceId, report]];
  });
  return new Map([...recorded, ...published]);
}

interface WatchedNotification {
  readonly notificationId: string;
  readonly watch: Watch;
}

/** Reports of another process may get lost, so the database is polled after this time, then after twice as long, and so on. */
const FIRST_POLL_MS = 250;

/**
 * Waits for the reports of another process, which publishes them before it records them. Polls the database, because
 * a report may get lost.
 */
async function awaitRemote(
  { context, syncWaitMs }: ResultDeps,
  { notificationId, watch }: WatchedNotification,
): Promise<void> {
  let remainingMs = syncWaitMs;
  for (let pollMs = FIRST_POLL_MS; remainingMs > 0 && !watch.isComplete; pollMs *= 2) {
    await watch.wait(Math.min(pollMs, remainingMs));
    remainingMs -= pollMs;
    if (!watch.isComplete) await tryReadRecorded(context, { notificationId, watch });
  }
}

/** Reads the recorded results; does nothing while the database is unavailable. */
async function tryReadRecorded(context: Context, watched: WatchedNotification): Promise<void> {
  try {
    await readRecorded(context, watched);
  } catch (error) {
    if (!context.database.engine.isUnavailable(error)) throw error;
  }
}

/** Copies the recorded results of first attempts to the watch. */
async function readRecorded(
  context: Context,
  { notificationId, watch }: WatchedNotification,
): Promise<void> {
  const recorded = await recordedReports(context, notificationId);
  for (const [deviceId, report] of recorded) {
    const isNew = !isUntried(report) && watch.report(deviceId)?.kind !== "final";
    if (isNew) watch.note(report);
  }
}

function isUntried(report: Report): boolean {
  return report.kind === "pending" && report.pending.code === null;
}

const TARGETS_MAX = 500;

async function recordedReports(context: Context, notificationId: string): Promise<Reports> {
  // In this order, a delivery that ends between the two reads is in both results, never in neither.
  const { pending } = await findRecorded(context, [notificationId]);
  const results = await findResults(context, { notificationId, limit: TARGETS_MAX + 1 });
  const reports = new Map<string, Report>();
  for (const device of pending.get(notificationId) ?? []) {
    reports.set(device.deviceId, { kind: "pending", pending: device });
  }
  for (const result of results) reports.set(result.deviceId, { kind: "final", result });
  return reports;
}
