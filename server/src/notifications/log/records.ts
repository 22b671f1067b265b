import type { NotificationRecord } from "@tocsin/sdk";
import type { Context } from "#context.ts";
import type { NewNotification } from "#delivery/delivery.ts";
import { deviceNames } from "#devices/store.ts";
import { shown, timestamp } from "../feed/feed.ts";
import { detailOfPending, detailOfResult, type MutableDetail } from "./attempt-history.ts";
import { listDeliveries, type DeliveriesInput } from "./deliveries/store.ts";
import { countDeliveries, explainPending, explainResult } from "./explained.ts";
import { sendersOf } from "./sender.ts";
import { findRecorded, findResults, type Recorded } from "./store.ts";

type Head = Omit<NotificationRecord, "deliveries">;

/** A record while it is made: schemas of answers know no readonly lists. */
type MutableRecord = Head & { deliveries: NotificationRecord["deliveries"][number][] };

/** Returns the records of notifications, with at most `deliveriesMax` deliveries of each; counts tell of all. */
export async function recordsOf(
  context: Context,
  notifications: readonly NewNotification[],
  deliveriesMax: number,
): Promise<MutableRecord[]> {
  const recorded = await recordedOf(context, notifications);
  const heads = await headsOf(context, notifications, recorded);
  return Promise.all(
    heads.map(async ({ notification, head }) => {
      const { id: notificationId } = notification;
      const limit = deliveriesMax;
      const results = await findResults(context, { notificationId, limit });
      const pending = recorded.pending.get(notificationId) ?? [];
      const owed = pending.slice(0, Math.max(0, limit - results.length));
      const named = await namesOf(context, [...results, ...owed]);
      const deliveries = [
        ...results.map((result) => explainResult({ result, ...named(result) }, notification)),
        ...owed.map((item) => explainPending({ pending: item, ...named(item) }, notification)),
      ];
      return { ...head, deliveries };
    }),
  );
}

/** Returns the record of one notification with the first deliveries, and all that was tried for them. */
export async function detailOf(
  context: Context,
  notification: NewNotification,
  deliveriesMax: number,
): Promise<Head & { deliveries: MutableDetail[] }> {
  const one = [notification];
  const [made] = await headsOf(context, one, await recordedOf(context, one));
  if (made === undefined) throw new Error("A notification has a record.");
  const first = { fate: null, after: null, limit: deliveriesMax };
  const deliveries = await deliveriesOf(context, notification, first);
  return { ...made.head, deliveries: deliveries.map(({ detail }) => detail) };
}

/** Returns deliveries of one notification with all that was tried, each with its place in the list. */
export async function deliveriesOf(
  context: Context,
  notification: NewNotification,
  which: Omit<DeliveriesInput, "notificationId">,
): Promise<readonly { readonly id: string; readonly detail: MutableDetail }[]> {
  const notificationId = notification.id;
  const listed = await listDeliveries(context, { ...which, notificationId });
  const named = await namesOf(
    context,
    listed.map((item) => (item.kind === "ended" ? item.result : item.pending)),
  );
  return listed.map((item) => {
    const { id } = item;
    const detail =
      item.kind === "ended"
        ? detailOfResult({ result: item.result, ...named(item.result) }, notification)
        : detailOfPending({ pending: item.pending, ...named(item.pending) }, notification);
    return { id, detail };
  });
}

function recordedOf(context: Context, notifications: readonly NewNotification[]) {
  const ids = notifications.map(({ id }) => id);
  return findRecorded(context, ids);
}

async function headsOf(
  context: Context,
  notifications: readonly NewNotification[],
  { counts, pending, owing }: Recorded,
): Promise<readonly { readonly notification: NewNotification; readonly head: Head }[]> {
  const senders = await sendersOf(context, notifications);
  return notifications.map((notification, index) => {
    const { id, expiresAt } = notification;
    const counted = countDeliveries({
      notification,
      ended: counts.get(id) ?? {},
      pending: pending.get(id) ?? [],
      isOwing: owing.has(id),
    });
    const told = { ...shown(notification), expiresAt: timestamp(expiresAt) };
    const sender = senders[index] ?? { audience: UNKNOWN, key: null };
    return { notification, head: { ...told, ...sender, counts: counted } };
  });
}

const UNKNOWN = { kind: "account", id: "", name: null } as const;

/** Returns what tells how at most 500 devices are named. */
async function namesOf(context: Context, items: readonly { readonly deviceId: string }[]) {
  const deviceIds = items.map(({ deviceId }) => deviceId);
  const names = await deviceNames(context, deviceIds);
  return ({ deviceId }: { readonly deviceId: string }) => ({
    device: names.get(deviceId) ?? null,
  });
}
