import type { LiveData, LiveEventKind, TeamRole } from "@tocsin/sdk";
import type { Context } from "#context.ts";
import type { NewNotification } from "#delivery/delivery.ts";
import type { Report } from "#delivery/watch.ts";
import { deviceNames } from "#devices/store.ts";
import { presentAmong } from "#teams/store.ts";
import { feedItem } from "../feed/feed.ts";
import { explainPending, explainResult } from "../log/explained.ts";
import type { LiveHub } from "./hub.ts";

export interface TellParts {
  readonly context: Context;
  readonly hub: LiveHub;
}

/** Who of a team is told of a notification, and of what became of it. */
const READERS = ["owner", "admin", "member"] as const;
const MANAGERS = ["owner", "admin"] as const;

/** Tells the open streams of everybody whom a notification reached. */
export async function tellNotification(
  parts: TellParts,
  notification: NewNotification,
): Promise<void> {
  const accountIds = await recipients(parts, notification, READERS);
  publish(parts, "notification", { accountIds, data: feedItem(notification, null) });
}

/** Tells the open streams of those whose key sent it what became of a notification on one device. */
export async function tellDelivery(
  parts: TellParts,
  notification: NewNotification,
  report: Report,
): Promise<void> {
  const accountIds = await recipients(parts, notification, MANAGERS);
  if (accountIds.size === 0) return;
  const { deviceId } = report.kind === "final" ? report.result : report.pending;
  const device = (await deviceNames(parts.context, [deviceId])).get(deviceId) ?? null;
  const delivery =
    report.kind === "final"
      ? explainResult(report.result, device)
      : explainPending({ pending: report.pending, device }, notification);
  const data = { ...delivery, notificationId: notification.id };
  publish(parts, "delivery", { accountIds, data });
}

/** Tells the open streams of a device's owner that it was added, changed, or is gone. */
export function tellDevice(parts: TellParts, accountId: string, data: LiveData["device"]): void {
  publish(parts, "device", { accountIds: new Set([accountId]), data });
}

async function recipients(
  { context, hub }: TellParts,
  { audience }: NewNotification,
  roles: readonly TeamRole[],
): Promise<ReadonlySet<string>> {
  if (audience.kind !== "team") return new Set([audience.accountId]);
  const accountIds = [...hub.accountIds];
  if (accountIds.length === 0) return new Set();
  return new Set(await presentAmong(context, { teamId: audience.teamId, accountIds, roles }));
}

function publish(
  { context, hub }: TellParts,
  kind: LiveEventKind,
  event: { accountIds: ReadonlySet<string>; data: LiveData[LiveEventKind] },
): void {
  if (event.accountIds.size > 0) hub.publish({ id: context.newId(), kind, ...event });
}
