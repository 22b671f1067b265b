import { DELIVERY_FATES, type DeviceOwner, type NotificationRecord } from "@tocsin/sdk";
import type { Context } from "#context.ts";
import {
  CHUNK_MAX,
  type DeliveryResult,
  type NewNotification,
  type PendingDevice,
} from "#delivery/delivery.ts";
import { deviceNames, type NamedDevice } from "#devices/store/devices.ts";
import { findTeamPeople } from "#teams/members/store/team-people.ts";
import { timestamp } from "#schema/moment.ts";
import { sharedFields } from "../feed/feed.ts";
import {
  detailOfPending,
  detailOfResult,
  type MutableDetail,
  type ShownDevice,
} from "./attempt-history.ts";
import { listDeliveries, type DeliveriesInput } from "./deliveries/store.ts";
import { countDeliveries, explainPending, explainResult } from "./explained.ts";
import { listOwnDeliveries, type OwnDelivery } from "./own-deliveries/store.ts";
import { findSenders } from "./sender.ts";
import { findRecorded, findResults, type Recorded } from "./store.ts";

type RecordHead = Omit<NotificationRecord, "deliveries">;

/** A record under construction. It is mutable, because response schemas have no readonly arrays. */
type MutableRecord = RecordHead & { deliveries: NotificationRecord["deliveries"][number][] };

/** Returns the records of notifications, with at most `deliveriesMax` deliveries of each; the counts include all. */
export async function loadRecords(
  context: Context,
  notifications: readonly NewNotification[],
  deliveriesMax: number,
): Promise<MutableRecord[]> {
  const recorded = await loadRecorded(context, notifications);
  const heads = await buildHeads(context, notifications, recorded);
  return Promise.all(
    heads.map(async ({ notification, head }) => {
      const counted = Object.values(head.counts).reduce((sum, count) => sum + count, 0);
      const pending = recorded.pending.get(notification.id) ?? [];
      const items =
        counted > deliveriesMax
          ? await firstDeliveries(context, notification.id, deliveriesMax)
          : await allDeliveries(context, notification.id, pending);
      const names = await deviceNames(context, items.map(deviceIdOf));
      const deliveries = items.map((item) => {
        const device = names.get(deviceIdOf(item)) ?? null;
        return item.kind === "ended"
          ? explainResult({ result: item.result, device }, notification)
          : explainPending({ pending: item.pending, device }, notification);
      });
      return { ...head, deliveries };
    }),
  );
}

function firstDeliveries(context: Context, notificationId: string, limit: number) {
  return listDeliveries(context, { notificationId, fate: null, after: null, limit });
}

/** Returns all deliveries of a notification in the order of `listDeliveries`, with one query. For a few deliveries only. */
async function allDeliveries(
  context: Context,
  notificationId: string,
  pending: readonly PendingDevice[],
): Promise<readonly OwnDelivery[]> {
  const results = await findResults(context, { notificationId, limit: CHUNK_MAX });
  const ended = results.map((result) => ({ kind: "ended", result }) as const);
  const isFailed = ({ result }: (typeof ended)[number]) => FAILED.has(result.state);
  return [
    ...ended.filter((item) => isFailed(item)),
    ...pending.map((item) => ({ kind: "owed", pending: item }) as const),
    ...ended.filter((item) => !isFailed(item)),
  ];
}

const FAILED: ReadonlySet<DeliveryResult["state"]> = new Set(DELIVERY_FATES.failed);

/** Returns the record of one notification with its first deliveries and all of their attempts. */
export async function loadDetail(
  context: Context,
  notification: NewNotification,
  deliveriesMax: number,
): Promise<RecordHead & { deliveries: MutableDetail[] }> {
  const notifications = [notification];
  const [record] = await buildHeads(
    context,
    notifications,
    await loadRecorded(context, notifications),
  );
  if (record === undefined) throw new Error("A notification has a record.");
  const first = { fate: null, after: null, limit: deliveriesMax };
  const deliveries = await loadDeliveries(context, notification, first);
  return { ...record.head, deliveries: deliveries.map(({ detail }) => detail) };
}

/** Returns deliveries of one notification with all attempts, each with its id in the list. */
export async function loadDeliveries(
  context: Context,
  notification: NewNotification,
  page: Omit<DeliveriesInput, "notificationId">,
): Promise<readonly { readonly id: string; readonly detail: MutableDetail }[]> {
  const notificationId = notification.id;
  const listed = await listDeliveries(context, { ...page, notificationId });
  const deviceIds = listed.map((item) => deviceIdOf(item));
  const names = await deviceNames(context, deviceIds);
  const owners = await findOwners(context, notification, names);
  return listed.map((item) => {
    const device = names.get(deviceIdOf(item)) ?? null;
    const owner = device === null ? null : (owners.get(device.accountId) ?? null);
    return { id: item.id, detail: detailOfDelivery(item, { device, owner }, notification) };
  });
}

/** Returns the results of a notification on the devices of one account, by device id, with all attempts. */
export async function loadOwnDeliveries(
  context: Context,
  {
    notification,
    accountId,
  }: { readonly notification: NewNotification; readonly accountId: string },
): Promise<readonly { readonly id: string; readonly detail: MutableDetail }[]> {
  const own = await listOwnDeliveries(context, { notification, accountId });
  const names = await deviceNames(context, own.map(deviceIdOf));
  return own.map((item) => {
    const id = deviceIdOf(item);
    const shownDevice = { device: names.get(id) ?? null, owner: null };
    return { id, detail: detailOfDelivery(item, shownDevice, notification) };
  });
}

function deviceIdOf(item: OwnDelivery): string {
  return item.kind === "ended" ? item.result.deviceId : item.pending.deviceId;
}

function detailOfDelivery(
  item: OwnDelivery,
  shownDevice: ShownDevice,
  notification: NewNotification,
): MutableDetail {
  return item.kind === "ended"
    ? detailOfResult({ result: item.result, ...shownDevice }, notification)
    : detailOfPending({ pending: item.pending, ...shownDevice }, notification);
}

/** Returns the owners of the devices of a team's notification, by account id; empty for an account's own notification. */
async function findOwners(
  context: Context,
  { audience }: NewNotification,
  devices: ReadonlyMap<string, NamedDevice>,
): Promise<ReadonlyMap<string, DeviceOwner>> {
  if (audience.kind !== "team") return new Map();
  const accountIds = [...new Set([...devices.values()].map(({ accountId }) => accountId))];
  const people = await findTeamPeople(context, { teamId: audience.teamId, accountIds });
  return new Map(
    [...people].map(([id, { memberId, name }]) => [id, { accountId: memberId, name }]),
  );
}

function loadRecorded(context: Context, notifications: readonly NewNotification[]) {
  const ids = notifications.map(({ id }) => id);
  return findRecorded(context, ids);
}

async function buildHeads(
  context: Context,
  notifications: readonly NewNotification[],
  { counts, pending, owing }: Recorded,
): Promise<readonly { readonly notification: NewNotification; readonly head: RecordHead }[]> {
  const senders = await findSenders(context, notifications);
  return notifications.map((notification, index) => {
    const { id, expiresAt } = notification;
    const counted = countDeliveries({
      notification,
      ended: counts.get(id) ?? {},
      pending: pending.get(id) ?? [],
      isOwing: owing.has(id),
    });
    const fields = { ...sharedFields(notification), expiresAt: timestamp(expiresAt) };
    const sender = senders[index] ?? { audience: UNKNOWN_AUDIENCE, key: null };
    return { notification, head: { ...fields, ...sender, counts: counted } };
  });
}

const UNKNOWN_AUDIENCE = { kind: "account", id: "", name: null } as const;
