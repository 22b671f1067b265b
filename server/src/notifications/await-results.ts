import type { Context } from "#context.ts";
import type { Audience } from "#devices/audiences/audience.ts";
import type { Delivery } from "#delivery/delivery-room.ts";
import type { Report } from "#delivery/watch.ts";
import { answerSend, TOO_MANY_TO_AWAIT, type SendAnswer } from "./answer.ts";
import { findRecorded, findResults } from "./log/store.ts";
import type { Sent } from "./send.ts";

export interface AwaitParts {
  readonly context: Context;
  readonly delivery: Delivery;
  readonly syncWaitMs: number;
}

/**
 * Waits for the first attempt on every device, at most `syncWaitMs`, and returns the answer to a synchronous
 * send. A repeated request gets what is known of the notification that it repeats.
 */
export async function awaitResults(
  parts: AwaitParts,
  { audience, sent }: { audience: Audience; sent: Sent },
): Promise<SendAnswer> {
  const { context, delivery, syncWaitMs } = parts;
  const { notificationId, handedOver, targets } = sent;
  if (targets === null) return TOO_MANY_TO_AWAIT;
  const watch =
    handedOver.kind === "accepted" ? handedOver.watch : delivery.worker.watchOf(notificationId);
  await watch?.wait(syncWaitMs);
  const recorded =
    watch === null
      ? await repeatedReports(parts, notificationId)
      : // What another process tells may be lost: then the database is asked.
        watch.isElsewhere && !watch.isComplete
        ? await recordedReports(context, notificationId)
        : new Map<string, Report>();
  const reportOf = (deviceId: string) => watch?.report(deviceId) ?? recorded.get(deviceId) ?? null;
  // A device that came later is no part of what is repeated.
  const isMeant = (deviceId: string) => watch?.isAbout(deviceId) ?? recorded.has(deviceId);
  const meant =
    handedOver.kind === "replayed" ? targets.filter(({ deviceId }) => isMeant(deviceId)) : targets;
  const life = handedOver.kind === "accepted" ? handedOver.notification : null;
  return answerSend({ audience, targets: meant, reportOf, life });
}

/** Another process may be sending what is repeated here: then its first attempts are waited for as well. */
async function repeatedReports(
  { context, delivery, syncWaitMs }: AwaitParts,
  notificationId: string,
): Promise<ReadonlyMap<string, Report>> {
  const recorded = await recordedReports(context, notificationId);
  const untried = [...recorded].filter(([, report]) => isUntried(report));
  const deviceIds = untried.map(([deviceId]) => deviceId);
  const watch = deviceIds.length === 0 ? null : delivery.watchElsewhere(notificationId, deviceIds);
  if (watch === null) return recorded;
  // What was told before the watch began is not told again.
  const since = await recordedReports(context, notificationId);
  for (const report of since.values()) if (!isUntried(report)) watch.note(report);
  if (!watch.isComplete) await watch.wait(syncWaitMs);
  return recordedReports(context, notificationId);
}

function isUntried(report: Report): boolean {
  return report.kind === "pending" && report.pending.code === null;
}

const TARGETS_MAX = 500;

async function recordedReports(
  context: Context,
  notificationId: string,
): Promise<ReadonlyMap<string, Report>> {
  // In this order: what ends in between is in both, and not in none.
  const { pending } = await findRecorded(context, [notificationId]);
  const results = await findResults(context, { notificationId, limit: TARGETS_MAX });
  const reports = new Map<string, Report>();
  for (const device of pending.get(notificationId) ?? []) {
    reports.set(device.deviceId, { kind: "pending", pending: device });
  }
  for (const result of results) reports.set(result.deviceId, { kind: "final", result });
  return reports;
}
