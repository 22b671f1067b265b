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
  { context, delivery, syncWaitMs }: AwaitParts,
  { audience, sent }: { audience: Audience; sent: Sent },
): Promise<SendAnswer> {
  const { notificationId, handedOver, targets } = sent;
  if (targets === null) return TOO_MANY_TO_AWAIT;
  const watch =
    handedOver.kind === "accepted" ? handedOver.watch : delivery.worker.watchOf(notificationId);
  await watch?.wait(syncWaitMs);
  // What another process tells may be lost: then the database is asked.
  const isUnsure = watch === null || (watch.isElsewhere && !watch.isComplete);
  const recorded = isUnsure
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

const TARGETS_MAX = 500;

async function recordedReports(
  context: Context,
  notificationId: string,
): Promise<ReadonlyMap<string, Report>> {
  const [results, { pending }] = await Promise.all([
    findResults(context, { notificationId, limit: TARGETS_MAX }),
    findRecorded(context, [notificationId]),
  ]);
  const reports = new Map<string, Report>();
  for (const device of pending.get(notificationId) ?? []) {
    reports.set(device.deviceId, { kind: "pending", pending: device });
  }
  for (const result of results) reports.set(result.deviceId, { kind: "final", result });
  return reports;
}
