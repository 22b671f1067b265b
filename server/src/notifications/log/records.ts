import type { NotificationRecord } from "@tocsin/sdk";
import type { Context } from "#context.ts";
import type { NewNotification } from "#delivery/delivery.ts";
import { deviceNames } from "#devices/store.ts";
import { shown } from "../feed/feed.ts";
import { countDeliveries, explainPending, explainResult } from "./explained.ts";
import { findRecorded, findResults } from "./store.ts";

/** A record while it is made: schemas of answers know no readonly lists. */
type MutableRecord = Omit<NotificationRecord, "deliveries"> & {
  deliveries: NotificationRecord["deliveries"][number][];
};

/** Returns the records of notifications, with at most `deliveriesMax` deliveries of each; counts tell of all. */
export async function recordsOf(
  context: Context,
  notifications: readonly NewNotification[],
  deliveriesMax: number,
): Promise<MutableRecord[]> {
  const recorded = await findRecorded(
    context,
    notifications.map(({ id }) => id),
  );
  return Promise.all(
    notifications.map(async (notification) => {
      const { id: notificationId } = notification;
      const limit = deliveriesMax;
      const results = await findResults(context, { notificationId, limit });
      const pending = recorded.pending.get(notificationId) ?? [];
      const owed = pending.slice(0, Math.max(0, limit - results.length));
      const names = await deviceNames(
        context,
        [...results, ...owed].map(({ deviceId }) => deviceId),
      );
      const named = (deviceId: string) => names.get(deviceId) ?? null;
      const deliveries = [
        ...results.map((result) =>
          explainResult({ result, device: named(result.deviceId) }, notification),
        ),
        ...owed.map((item) =>
          explainPending({ pending: item, device: named(item.deviceId) }, notification),
        ),
      ];
      const counts = countDeliveries({
        notification,
        ended: recorded.counts.get(notificationId) ?? {},
        pending,
        isOwing: recorded.owing.has(notificationId),
      });
      return { ...shown(notification), deliveries, counts };
    }),
  );
}
