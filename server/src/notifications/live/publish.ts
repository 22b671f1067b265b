import type { FeedChange, TeamRole } from "@tocsin/sdk";
import type { Context } from "#context.ts";
import { feedOf, type NewNotification } from "#delivery/delivery.ts";
import type { Report } from "#delivery/result/watch.ts";
import { deviceAnswer } from "#devices/answer.ts";
import { deviceNames, findDevice, type ChangedDevice } from "#devices/store/devices.ts";
import { presentAmong } from "#teams/store/teams.ts";
import { feedItem } from "../feed/items.ts";
import { explainPending, explainResult } from "../log/explained.ts";
import type { HubEvent, LiveHub } from "./hub.ts";

/** Publishes live events to the other nodes. */
export interface NodePublisher {
  /** Publishes a message to the other nodes asynchronously; it may be lost. `body` is sent as JSON. */
  publish(topic: string, body: unknown): void;
}

export interface PublisherDeps {
  readonly context: Context;
  readonly hub: LiveHub;
  readonly nodes: NodePublisher;
}

/** Publishes events to open streams. Never throws, because no caller depends on subscribers. */
export interface Publisher {
  /** Publishes a notification to all accounts that receive it. */
  readonly notification: (notification: NewNotification) => void;
  /** Publishes the result on one device to the account, or to the managers of the team. */
  readonly delivery: (notification: NewNotification, report: Report) => void;
  /** Publishes a change of an account's feed to all of its clients. */
  readonly read: (accountId: string, change: FeedChange) => void;
  /** Publishes to a device's owner that the device was added, changed or removed. */
  readonly device: (device: ChangedDevice) => void;
}

/** The team roles that receive its notifications. */
const READERS = ["owner", "admin", "member"] as const;
const MANAGERS = ["owner", "admin"] as const;

/** The maximum number of accounts in one query. */
const ACCOUNTS_PER_QUERY_MAX = 500;

/** The maximum number of ids in one message to other nodes. */
const IDS_PER_MESSAGE_MAX = 100;

/** Returns the publisher for the streams of this process and of the other nodes. */
export function createPublisher(deps: PublisherDeps): Publisher {
  const { nodes } = deps;
  const local = createLocalPublisher(deps);
  return {
    notification(notification) {
      local.notification(notification);
      nodes.publish("notification", toAddress(notification));
    },
    delivery(notification, report) {
      local.delivery(notification, report);
      nodes.publish("delivery", { ...toAddress(notification), report });
    },
    read(accountId, change) {
      local.read(accountId, change);
      for (const part of splitChange(change)) nodes.publish("read", { accountId, change: part });
    },
    device(device) {
      local.device(device);
      nodes.publish("device", device);
    },
  };
}

/** A notification in a message to other nodes, which load it only for subscribers. */
export interface NotificationAddress {
  readonly notificationId: string;
  readonly kind: NewNotification["audience"]["kind"];
  /** The account or team that has it in its feed. */
  readonly feedId: string;
}

function toAddress({ id, audience }: NewNotification): NotificationAddress {
  return { notificationId: id, kind: audience.kind, feedId: feedOf(audience) };
}

function splitChange(change: FeedChange): readonly FeedChange[] {
  const ids = change.kind !== "read" ? change.ids : "ids" in change.which ? change.which.ids : null;
  if (ids === null || ids.length <= IDS_PER_MESSAGE_MAX) return [change];
  return Array.from({ length: Math.ceil(ids.length / IDS_PER_MESSAGE_MAX) }, (_, index) => {
    const part = ids.slice(index * IDS_PER_MESSAGE_MAX, (index + 1) * IDS_PER_MESSAGE_MAX);
    return change.kind === "read" ? { ...change, which: { ids: part } } : { ...change, ids: part };
  });
}

/** Returns the publisher for the streams of this process only. It keeps the order of calls. */
export function createLocalPublisher(deps: Pick<PublisherDeps, "context" | "hub">): Publisher {
  let queue = Promise.resolve();
  const enqueue = (event: Promise<AddressedEvent | null>) => {
    const resolved = event.catch((error: unknown) => {
      deps.context.log.warn({ err: error }, "a live event was lost");
      return null;
    });
    // Lookups may finish in another order; without this queue, a page could keep the state before the last change.
    queue = queue.then(async () => publish(deps, await resolved));
  };
  return {
    notification: (notification) => enqueue(notificationEvent(deps, notification)),
    delivery: (notification, report) => enqueue(deliveryEvent(deps, notification, report)),
    read: (accountId, change) => enqueue(readEvent(deps, accountId, change)),
    device: (device) => enqueue(deviceEvent(deps, device)),
  };
}

type LocalDeps = Pick<PublisherDeps, "context" | "hub">;

/** An event without an id, and its recipients. */
type AddressedEvent = Omit<HubEvent, "id">;

async function notificationEvent(
  deps: LocalDeps,
  notification: NewNotification,
): Promise<AddressedEvent | null> {
  const accountIds = await recipients(deps, notification, READERS);
  // Names are loaded only if there are subscribers.
  if (accountIds.size === 0) return null;
  const data = await feedItem(deps.context, { notification, readAt: null });
  return { kind: "notification", accountIds, data };
}

async function deliveryEvent(
  deps: LocalDeps,
  notification: NewNotification,
  report: Report,
): Promise<AddressedEvent | null> {
  const accountIds = await recipients(deps, notification, MANAGERS);
  if (accountIds.size === 0) return null;
  const { deviceId } = report.kind === "final" ? report.result : report.pending;
  const device = (await deviceNames(deps.context, [deviceId])).get(deviceId) ?? null;
  const delivery =
    report.kind === "final"
      ? explainResult({ result: report.result, device }, notification)
      : explainPending({ pending: report.pending, device }, notification);
  const data = { ...delivery, notificationId: notification.id };
  return { kind: "delivery", accountIds, data };
}

async function readEvent(
  deps: LocalDeps,
  accountId: string,
  data: FeedChange,
): Promise<AddressedEvent | null> {
  if (!deps.hub.isWatching(accountId)) return null;
  return { kind: "read", accountIds: new Set([accountId]), data };
}

async function deviceEvent(
  deps: LocalDeps,
  changed: ChangedDevice,
): Promise<AddressedEvent | null> {
  const { accountId, deviceId, isNew = false } = changed;
  if (!deps.hub.isWatching(accountId)) return null;
  const device = await findDevice(deps.context, changed);
  const data = { deviceId, device: device === null ? null : deviceAnswer(device), isNew };
  return { kind: "device", accountIds: new Set([accountId]), data };
}

async function recipients(
  { context, hub }: LocalDeps,
  { audience }: NewNotification,
  roles: readonly TeamRole[],
): Promise<ReadonlySet<string>> {
  if (audience.kind !== "team") {
    const { accountId } = audience;
    return new Set(hub.isWatching(accountId) ? [accountId] : []);
  }
  const { accountIds } = hub;
  const present = new Set<string>();
  for (let start = 0; start < accountIds.length; start += ACCOUNTS_PER_QUERY_MAX) {
    const query = {
      teamId: audience.teamId,
      accountIds: accountIds.slice(start, start + ACCOUNTS_PER_QUERY_MAX),
    };
    for (const accountId of await presentAmong(context, { ...query, roles }))
      present.add(accountId);
  }
  return present;
}

function publish({ context, hub }: LocalDeps, event: AddressedEvent | null): void {
  if (event !== null && event.accountIds.size > 0) hub.publish({ id: context.newId(), ...event });
}
