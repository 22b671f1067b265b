import { DELIVERY_STATE_GROUPS, type DeviceOwner, type NotificationRecord } from "@tocsin/sdk";
import type { Context } from "#context.ts";
import {
  CHUNK_MAX,
  type DeliveryResult,
  type NewNotification,
  type PendingDevice,
} from "#delivery/delivery.ts";
import { findDeviceNames, type NamedDevice } from "#devices/store/devices.ts";
import { findTeamPeople } from "#teams/members/store/team-people.ts";
import { formatTimestamp } from "#schema/timestamp.ts";
import { toSharedFields } from "../feed/shared-fields.ts";
import {
  toPendingDetail,
  toResultDetail,
  type MutableDeliveryDetail,
  type DeviceWithOwner,
} from "./attempt-history.ts";
import {
  listDeliveries,
  type EndedOrUnfinishedDelivery,
  type ListDeliveriesInput,
} from "./deliveries/store.ts";
import { countDeliveries, explainPending, explainResult } from "./explain-delivery.ts";
import { addLaterProofs } from "./later-proofs.ts";
import { listOwnDeliveries } from "./own-deliveries/store.ts";
import { findSendersAndAudiences } from "./sender.ts";
import { findRecordedDeliveries, findResults, type RecordedDeliveries } from "./store.ts";

type RecordWithoutDeliveries = Omit<NotificationRecord, "deliveries">;

/** A record under construction. It is mutable, because response schemas have no readonly arrays. */
type MutableRecord = RecordWithoutDeliveries & {
  deliveries: NotificationRecord["deliveries"][number][];
};

/** Returns the records of notifications, with at most `deliveriesMax` deliveries of each; the counts include all. */
export async function loadRecords(
  context: Context,
  notifications: readonly NewNotification[],
  deliveriesMax: number,
): Promise<MutableRecord[]> {
  const recordedDeliveries = await findDeliveriesOfNotifications(context, notifications);
  const recordsWithoutDeliveries = await loadRecordsWithoutDeliveries(
    context,
    notifications,
    recordedDeliveries,
  );
  return Promise.all(
    recordsWithoutDeliveries.map(async ({ notification, record }) => {
      const deliveryCount = Object.values(record.counts).reduce((sum, count) => sum + count, 0);
      const pending = recordedDeliveries.pending.get(notification.id) ?? [];
      const recorded =
        deliveryCount > deliveriesMax
          ? await listFirstDeliveries(context, notification.id, deliveriesMax)
          : await listAllDeliveries(context, notification.id, pending);
      const items = await addLaterProofs(context, notification.id, recorded);
      const names = await findDeviceNames(context, items.map(getDeviceId));
      const deliveries = items.map((item) => {
        const device = names.get(getDeviceId(item)) ?? null;
        return item.kind === "ended"
          ? explainResult({ result: item.result, device }, notification)
          : explainPending({ pending: item.pending, device }, notification);
      });
      return { ...record, deliveries };
    }),
  );
}

function listFirstDeliveries(context: Context, notificationId: string, limit: number) {
  return listDeliveries(context, { notificationId, stateFilter: null, after: null, limit });
}

/** Returns at most 500 deliveries of a notification in the order of `listDeliveries`, with fewer queries. */
async function listAllDeliveries(
  context: Context,
  notificationId: string,
  pending: readonly PendingDevice[],
): Promise<readonly EndedOrUnfinishedDelivery[]> {
  const results = await findResults(context, { notificationId, limit: CHUNK_MAX });
  const endedDeliveries = results.map((result) => ({ kind: "ended", result }) as const);
  const isFailed = ({ result }: (typeof endedDeliveries)[number]) =>
    FAILED_STATES.has(result.state);
  return [
    ...endedDeliveries.filter((item) => isFailed(item)),
    ...pending.map((device) => ({ kind: "unfinished", pending: device }) as const),
    ...endedDeliveries.filter((item) => !isFailed(item)),
  ];
}

const FAILED_STATES: ReadonlySet<DeliveryResult["state"]> = new Set(DELIVERY_STATE_GROUPS.failed);

/** Returns the record of one notification with its first deliveries and their recorded attempts. */
export async function loadRecordWithAttempts(
  context: Context,
  notification: NewNotification,
  deliveriesMax: number,
): Promise<RecordWithoutDeliveries & { deliveries: MutableDeliveryDetail[] }> {
  const notifications = [notification];
  const [loaded] = await loadRecordsWithoutDeliveries(
    context,
    notifications,
    await findDeliveriesOfNotifications(context, notifications),
  );
  if (loaded === undefined) throw new Error("The notification has no record.");
  const firstPageQuery = { stateFilter: null, after: null, limit: deliveriesMax };
  const deliveries = await loadDeliveries(context, notification, firstPageQuery);
  return { ...loaded.record, deliveries: deliveries.map(({ detail }) => detail) };
}

/** Returns deliveries of one notification with their recorded attempts, each with the id that `after` takes. */
export async function loadDeliveries(
  context: Context,
  notification: NewNotification,
  pageQuery: Omit<ListDeliveriesInput, "notificationId">,
): Promise<readonly { readonly id: string; readonly detail: MutableDeliveryDetail }[]> {
  const notificationId = notification.id;
  const recorded = await listDeliveries(context, { ...pageQuery, notificationId });
  const listedDeliveries = await addLaterProofs(context, notificationId, recorded);
  const deviceIds = listedDeliveries.map((item) => getDeviceId(item));
  const names = await findDeviceNames(context, deviceIds);
  const owners = await findOwners(context, notification, names);
  return listedDeliveries.map((item) => {
    const device = names.get(getDeviceId(item)) ?? null;
    const owner = device === null ? null : (owners.get(device.accountId) ?? null);
    return { id: item.id, detail: toDeliveryDetail(item, { device, owner }, notification) };
  });
}

/** Returns the deliveries to one account's devices with their recorded attempts, each with its device's id. */
export async function loadOwnDeliveries(
  context: Context,
  {
    notification,
    accountId,
  }: { readonly notification: NewNotification; readonly accountId: string },
): Promise<readonly { readonly id: string; readonly detail: MutableDeliveryDetail }[]> {
  const recorded = await listOwnDeliveries(context, { notification, accountId });
  const ownDeliveries = await addLaterProofs(context, notification.id, recorded);
  const names = await findDeviceNames(context, ownDeliveries.map(getDeviceId));
  return ownDeliveries.map((item) => {
    const id = getDeviceId(item);
    const deviceWithOwner = { device: names.get(id) ?? null, owner: null };
    return { id, detail: toDeliveryDetail(item, deviceWithOwner, notification) };
  });
}

function getDeviceId(item: EndedOrUnfinishedDelivery): string {
  return item.kind === "ended" ? item.result.deviceId : item.pending.deviceId;
}

function toDeliveryDetail(
  item: EndedOrUnfinishedDelivery,
  deviceWithOwner: DeviceWithOwner,
  notification: NewNotification,
): MutableDeliveryDetail {
  return item.kind === "ended"
    ? toResultDetail({ result: item.result, ...deviceWithOwner }, notification)
    : toPendingDetail({ pending: item.pending, ...deviceWithOwner }, notification);
}

/** Returns the owners of a team notification's devices, by account id; none for an account's own notification. */
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

function findDeliveriesOfNotifications(
  context: Context,
  notifications: readonly NewNotification[],
) {
  const ids = notifications.map(({ id }) => id);
  return findRecordedDeliveries(context, ids);
}

async function loadRecordsWithoutDeliveries(
  context: Context,
  notifications: readonly NewNotification[],
  { endedCounts, pending, unfinishedIds }: RecordedDeliveries,
): Promise<
  readonly { readonly notification: NewNotification; readonly record: RecordWithoutDeliveries }[]
> {
  const senders = await findSendersAndAudiences(context, notifications);
  return notifications.map((notification, index) => {
    const { id, expiresAt } = notification;
    const counts = countDeliveries({
      notification,
      ended: endedCounts.get(id) ?? {},
      pending: pending.get(id) ?? [],
      hasUnfinished: unfinishedIds.has(id),
    });
    const fields = { ...toSharedFields(notification), expiresAt: formatTimestamp(expiresAt) };
    const sender = senders[index] ?? { audience: UNKNOWN_AUDIENCE, key: null };
    return { notification, record: { ...fields, ...sender, counts } };
  });
}

const UNKNOWN_AUDIENCE = { kind: "account", id: "", name: null } as const;
