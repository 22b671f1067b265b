import type { Context } from "#context.ts";
import type { Audience } from "#devices/audiences/audience.ts";
import type { Delivery } from "#delivery/create-delivery.ts";
import { createMaybeStoredError } from "#delivery/accept/accept-errors.ts";
import type { Report, Watch } from "#delivery/result/watch.ts";
import {
  createSendResponse,
  REMOVED_RESPONSE,
  TOO_MANY_DEVICES_RESPONSE,
  type ResponseDevice,
  type SendResponse,
} from "./send-response.ts";
import { findNotifications, findRecordedDeliveries, findResults } from "./log/store.ts";
import type { SentNotification } from "./send.ts";

/** The dependencies of a synchronous send, which accepts a notification and waits for its results. */
export interface AwaitResultsDeps extends ResultReaderDeps {
  readonly delivery: Delivery;
}

interface ResultReaderDeps {
  readonly context: Context;
  readonly delivery: Pick<Delivery, "watchRemote"> & {
    readonly worker: Pick<Delivery["worker"], "findWatch">;
  };
  readonly syncWaitMs: number;
}

/**
 * Waits for the first attempt on every device, at most `syncWaitMs`, and returns the response to a synchronous send.
 * A repeated request gets the current results of the notification that it repeats; throws `unavailable` if they cannot
 * be read from the database.
 */
export async function awaitResults(
  deps: ResultReaderDeps,
  { audience, sent }: { audience: Audience; sent: SentNotification },
): Promise<SendResponse> {
  const { delivery, syncWaitMs } = deps;
  const { notificationId, handedOver, targets } = sent;
  if (targets === null) return TOO_MANY_DEVICES_RESPONSE;
  if (targets.length === 0 && handedOver.kind === "accepted") return createEmptyResponse(audience);
  const watch =
    handedOver.kind === "accepted" ? handedOver.watch : delivery.worker.findWatch(notificationId);
  const recordedReports = watch === null ? await loadReports(deps, sent) : NO_REPORTS;
  if (recordedReports === null) return REMOVED_RESPONSE;
  if (watch?.isRemote === true) await awaitRemoteReports(deps, { notificationId, watch });
  else await watch?.wait(syncWaitMs);
  const getReport = (deviceId: string) =>
    watch?.getReport(deviceId) ?? recordedReports.get(deviceId) ?? null;
  if (handedOver.kind === "accepted") {
    return createSendResponse({
      audience,
      targets,
      getReport,
      lifetime: handedOver.notification,
    });
  }
  const deviceIds = watch?.deviceIds ?? [...recordedReports.keys()];
  // The audience was too large when the notification was sent, and has shrunk since then.
  if (deviceIds.length > AWAITED_DEVICES_MAX) return TOO_MANY_DEVICES_RESPONSE;
  const originalDevices = listOriginalDevices({ audience, targets, deviceIds, getReport });
  return createSendResponse({ audience, targets: originalDevices, getReport, lifetime: null });
}

/** Returns the response to a send to an audience without devices: there is no result to wait for. */
function createEmptyResponse(audience: Audience): SendResponse {
  return createSendResponse({ audience, targets: [], getReport: () => null, lifetime: null });
}

interface RepeatedSend {
  readonly audience: Audience;
  readonly targets: readonly ResponseDevice[];
  /** The devices that the notification was for. */
  readonly deviceIds: readonly string[];
  readonly getReport: (deviceId: string) => Report | null;
}

/** Returns the devices that the notification was for: with devices that left since then, without devices added later. */
function listOriginalDevices(repeated: RepeatedSend): readonly ResponseDevice[] {
  const { audience, targets, deviceIds, getReport } = repeated;
  const originalIds = new Set(deviceIds);
  const presentTargets = targets.filter(({ deviceId }) => originalIds.has(deviceId));
  const formerIdSet = originalIds.difference(
    new Set(presentTargets.map(({ deviceId }) => deviceId)),
  );
  const formerIds = [...formerIdSet].toSorted();
  const devices = [
    ...presentTargets,
    ...formerIds.map((deviceId) => toFormerDevice(deviceId, getReport)),
  ];
  // A team's devices are ordered by their owners, which are unknown for removed devices.
  return audience.kind === "team" ? devices : devices.toSorted(compareDeviceIds);
}

function toFormerDevice(deviceId: string, getReport: RepeatedSend["getReport"]): ResponseDevice {
  const report = getReport(deviceId);
  return { deviceId, provider: report?.kind === "final" ? report.result.provider : null };
}

function compareDeviceIds(one: ResponseDevice, other: ResponseDevice): number {
  return one.deviceId < other.deviceId ? -1 : 1;
}

type Reports = ReadonlyMap<string, Report>;

const NO_REPORTS: Reports = new Map();

/**
 * Returns the reports of a notification without a watch; null for a repetition whose notification was removed. If the
 * database is unavailable, a notification that was just stored has no reports yet; for a repetition, this throws
 * `unavailable`, because nothing else is known about it.
 */
async function loadReports(
  deps: ResultReaderDeps,
  { notificationId, handedOver }: SentNotification,
): Promise<Reports | null> {
  const { engine } = deps.context.database;
  const isNew = handedOver.kind === "accepted";
  try {
    const reports = await awaitRecordedReports(deps, notificationId);
    if (isNew || reports.size > 0) return reports;
    // A send without devices has no reports, either.
    const stored = await findNotifications(deps.context, [notificationId]);
    return stored.length === 0 ? null : reports;
  } catch (error) {
    if (!engine.isUnavailable(error)) throw error;
    if (isNew) return NO_REPORTS;
    throw createMaybeStoredError(error);
  }
}

/**
 * Returns the recorded reports of a notification. Also waits for its first attempts, because another process may still be
 * sending it.
 */
async function awaitRecordedReports(
  deps: ResultReaderDeps,
  notificationId: string,
): Promise<Reports> {
  const { context, delivery } = deps;
  const recordedReports = await loadRecordedReports(context, notificationId);
  const untriedReports = [...recordedReports].filter(([, report]) => isUntriedReport(report));
  const deviceIds = untriedReports.map(([deviceId]) => deviceId);
  const watch = deviceIds.length === 0 ? null : delivery.watchRemote(notificationId, deviceIds);
  if (watch === null) return recordedReports;
  // Reports from before the subscription are not published again.
  await copyRecordedReports(context, { notificationId, watch });
  await awaitRemoteReports(deps, { notificationId, watch });
  // A published report may not be recorded yet.
  const publishedReports = deviceIds.flatMap((deviceId): [string, Report][] => {
    const report = watch.getReport(deviceId);
    return report === null ? [] : [[deviceId, report]];
  });
  return new Map([...recordedReports, ...publishedReports]);
}

interface WatchedNotification {
  readonly notificationId: string;
  readonly watch: Watch;
}

/** The time until the database is polled for lost reports. Each further poll follows after twice as long. */
const FIRST_POLL_MS = 250;

/**
 * Waits for the reports of another process, which publishes them before it records them. Polls the database, because
 * a report may get lost.
 */
async function awaitRemoteReports(
  { context, syncWaitMs }: ResultReaderDeps,
  { notificationId, watch }: WatchedNotification,
): Promise<void> {
  let remainingMs = syncWaitMs;
  for (let pollMs = FIRST_POLL_MS; remainingMs > 0 && !watch.isComplete; pollMs *= 2) {
    await watch.wait(Math.min(pollMs, remainingMs));
    remainingMs -= pollMs;
    if (!watch.isComplete) await tryCopyRecordedReports(context, { notificationId, watch });
  }
}

/** Reads the recorded results; does nothing while the database is unavailable. */
async function tryCopyRecordedReports(
  context: Context,
  watched: WatchedNotification,
): Promise<void> {
  try {
    await copyRecordedReports(context, watched);
  } catch (error) {
    if (!context.database.engine.isUnavailable(error)) throw error;
  }
}

/** Copies the recorded results of first attempts from the database to the watch. */
async function copyRecordedReports(
  context: Context,
  { notificationId, watch }: WatchedNotification,
): Promise<void> {
  const recordedReports = await loadRecordedReports(context, notificationId);
  for (const [deviceId, report] of recordedReports) {
    const isNew = !isUntriedReport(report) && watch.getReport(deviceId)?.kind !== "final";
    if (isNew) watch.addReport(report);
  }
}

function isUntriedReport(report: Report): boolean {
  return report.kind === "pending" && report.pending.code === null;
}

/** The maximum number of devices that a response lists. */
const AWAITED_DEVICES_MAX = 500;

async function loadRecordedReports(context: Context, notificationId: string): Promise<Reports> {
  // In this order, a delivery that ends between the two reads is in both results, never in neither.
  const { pending } = await findRecordedDeliveries(context, [notificationId]);
  const results = await findResults(context, { notificationId, limit: AWAITED_DEVICES_MAX + 1 });
  const reports = new Map<string, Report>();
  for (const device of pending.get(notificationId) ?? []) {
    reports.set(device.deviceId, { kind: "pending", pending: device });
  }
  for (const result of results) reports.set(result.deviceId, { kind: "final", result });
  return reports;
}
