import type { FeedChange, IncidentState, PromptState, TeamRole } from "@tocsin/sdk";
import type { Context } from "#context.ts";
import { getFeedId, type NewNotification } from "#delivery/delivery.ts";
import type { Report } from "#delivery/result/watch.ts";
import type { Audience } from "#devices/audiences/audience.ts";
import { loadDeviceResponse } from "#devices/device-response.ts";
import { findDeviceNames, findDevice, type ChangedDevice } from "#devices/store/devices.ts";
import { findCurrentMembers } from "#teams/store/teams.ts";
import { loadFeedItem } from "../feed/items.ts";
import { explainPending, explainResult } from "../log/explain-delivery.ts";
import type { HubEvent, LiveHub } from "./hub.ts";

/** The channel that publishes live events to the other nodes. */
export interface NodePublisher {
  /** Publishes a message to the other nodes asynchronously; the message may be lost. `body` is sent as JSON. */
  publish(topic: string, body: unknown): void;
}

/** The dependencies of a publisher. */
export interface PublisherDeps {
  readonly context: Context;
  readonly hub: LiveHub;
  readonly nodes: NodePublisher;
}

/** The publisher of events to open streams. It never throws, because no caller depends on subscribers. */
export interface Publisher {
  /** Publishes a notification to all accounts that receive it. */
  readonly publishNotification: (notification: NewNotification) => void;
  /** Publishes the report of one device to the account, or to the managers of the team. */
  readonly publishDelivery: (notification: NewNotification, report: Report) => void;
  /** Publishes a change of an account's feed to all clients of the account. */
  readonly publishFeedChange: (accountId: string, change: FeedChange) => void;
  /** Publishes a change of an incident to all accounts in its audiences. */
  readonly publishIncident: (change: IncidentChangeMessage) => void;
  /** Publishes a change of a prompt to all accounts in its audiences. */
  readonly publishPrompt: (change: PromptChangeMessage) => void;
  /** Publishes to a device's owner that the device was added, changed or removed. */
  readonly publishDevice: (device: ChangedDevice) => void;
}

/** A change of an incident, with the audiences that were notified of it. */
export interface IncidentChangeMessage {
  readonly incidentId: string;
  readonly state: IncidentState;
  readonly audiences: readonly Audience[];
}

/** A change of a prompt, with the audiences that were notified of it. */
export interface PromptChangeMessage {
  readonly promptId: string;
  readonly state: PromptState;
  readonly audiences: readonly Audience[];
}

/** The roles that receive the notifications of a team. */
const READER_ROLES = ["owner", "admin", "member"] as const;
/** The roles that see the deliveries of a team. */
const MANAGER_ROLES = ["owner", "admin"] as const;

/** The maximum number of accounts in one query. */
const ACCOUNTS_PER_QUERY_MAX = 500;

/** The maximum number of ids in one message to other nodes. */
const IDS_PER_MESSAGE_MAX = 100;

/** Returns the publisher for the streams of this process and of the other nodes. */
export function createPublisher(deps: PublisherDeps): Publisher {
  const { nodes } = deps;
  const local = createLocalPublisher(deps);
  return {
    publishNotification(notification) {
      local.publishNotification(notification);
      nodes.publish("notification", toReference(notification));
    },
    publishDelivery(notification, report) {
      local.publishDelivery(notification, report);
      nodes.publish("delivery", { ...toReference(notification), report });
    },
    publishFeedChange(accountId, change) {
      local.publishFeedChange(accountId, change);
      for (const part of splitChange(change)) nodes.publish("read", { accountId, change: part });
    },
    publishIncident(change) {
      local.publishIncident(change);
      nodes.publish("incident", change);
    },
    publishPrompt(change) {
      local.publishPrompt(change);
      nodes.publish("prompt", change);
    },
    publishDevice(device) {
      local.publishDevice(device);
      nodes.publish("device", device);
    },
  };
}

/** A notification in a message to other nodes. A node loads it only if it has subscribers. */
export interface NotificationReference {
  readonly notificationId: string;
  readonly kind: NewNotification["audience"]["kind"];
  /** The account or team that has the notification in its feed. */
  readonly feedId: string;
}

function toReference({ id, audience }: NewNotification): NotificationReference {
  return { notificationId: id, kind: audience.kind, feedId: getFeedId(audience) };
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
  const enqueue = (event: Promise<UnpublishedEvent | null>) => {
    const resolved = event.catch((error: unknown) => {
      deps.context.log.warn({ err: error }, "a live event was lost");
      return null;
    });
    // Lookups may finish in another order; without this queue, a page could keep the state before the last change.
    queue = queue.then(async () => publishToHub(deps, await resolved));
  };
  return {
    publishNotification: (notification) => enqueue(createNotificationEvent(deps, notification)),
    publishDelivery(notification, report) {
      // A large audience has thousands of results a second, usually without an open stream.
      if (mayBeWatched(deps, notification))
        enqueue(createDeliveryEvent(deps, notification, report));
    },
    publishFeedChange: (accountId, change) =>
      enqueue(createFeedChangeEvent(deps, accountId, change)),
    publishIncident: ({ incidentId, state, audiences }) =>
      enqueue(
        createAudienceEvent(deps, audiences, { kind: "incident", data: { incidentId, state } }),
      ),
    publishPrompt: ({ promptId, state, audiences }) =>
      enqueue(createAudienceEvent(deps, audiences, { kind: "prompt", data: { promptId, state } })),
    publishDevice: (device) => enqueue(createDeviceEvent(deps, device)),
  };
}

type LocalPublisherDeps = Pick<PublisherDeps, "context" | "hub">;

/** An event without an id, and its recipients. */
type UnpublishedEvent = Omit<HubEvent, "id">;

async function createNotificationEvent(
  deps: LocalPublisherDeps,
  notification: NewNotification,
): Promise<UnpublishedEvent | null> {
  const accountIds = await findRecipients(deps, notification, READER_ROLES);
  // Names are loaded only if there are subscribers.
  if (accountIds.size === 0) return null;
  const data = await loadFeedItem(deps.context, { notification, readAt: null });
  return { kind: "notification", accountIds, data };
}

async function createDeliveryEvent(
  deps: LocalPublisherDeps,
  notification: NewNotification,
  report: Report,
): Promise<UnpublishedEvent | null> {
  const accountIds = await findRecipients(deps, notification, MANAGER_ROLES);
  if (accountIds.size === 0) return null;
  const { deviceId } = report.kind === "final" ? report.result : report.pending;
  const device = (await findDeviceNames(deps.context, [deviceId])).get(deviceId) ?? null;
  const delivery =
    report.kind === "final"
      ? explainResult({ result: report.result, device }, notification)
      : explainPending({ pending: report.pending, device }, notification);
  const data = { ...delivery, notificationId: notification.id };
  return { kind: "delivery", accountIds, data };
}

async function createFeedChangeEvent(
  deps: LocalPublisherDeps,
  accountId: string,
  data: FeedChange,
): Promise<UnpublishedEvent | null> {
  if (!deps.hub.isWatched(accountId)) return null;
  return { kind: "read", accountIds: new Set([accountId]), data };
}

async function createAudienceEvent(
  deps: LocalPublisherDeps,
  audiences: readonly Audience[],
  event: Pick<UnpublishedEvent, "kind" | "data">,
): Promise<UnpublishedEvent | null> {
  const accountIds = new Set<string>();
  for (const audience of audiences) {
    for (const accountId of await findRecipients(deps, { audience }, READER_ROLES))
      accountIds.add(accountId);
  }
  return { ...event, accountIds };
}

async function createDeviceEvent(
  deps: LocalPublisherDeps,
  changed: ChangedDevice,
): Promise<UnpublishedEvent | null> {
  const { accountId, deviceId, isNew = false } = changed;
  if (!deps.hub.isWatched(accountId)) return null;
  const device = await findDevice(deps.context, changed);
  const response = device === null ? null : await loadDeviceResponse(deps.context, device);
  const data = { deviceId, device: response, isNew };
  return { kind: "device", accountIds: new Set([accountId]), data };
}

/** Returns whether a stream may receive a notification's events. For a team, any stream may: nothing is queried. */
function mayBeWatched({ hub }: LocalPublisherDeps, { audience }: NewNotification): boolean {
  return audience.kind === "team"
    ? hub.watchedAccountIds.length > 0
    : hub.isWatched(audience.accountId);
}

async function findRecipients(
  { context, hub }: LocalPublisherDeps,
  { audience }: Pick<NewNotification, "audience">,
  roles: readonly TeamRole[],
): Promise<ReadonlySet<string>> {
  if (audience.kind !== "team") {
    const { accountId } = audience;
    return new Set(hub.isWatched(accountId) ? [accountId] : []);
  }
  const { watchedAccountIds: accountIds } = hub;
  const recipientIds = new Set<string>();
  for (let start = 0; start < accountIds.length; start += ACCOUNTS_PER_QUERY_MAX) {
    const query = {
      teamId: audience.teamId,
      accountIds: accountIds.slice(start, start + ACCOUNTS_PER_QUERY_MAX),
    };
    for (const accountId of await findCurrentMembers(context, { ...query, roles }))
      recipientIds.add(accountId);
  }
  return recipientIds;
}

function publishToHub({ context, hub }: LocalPublisherDeps, event: UnpublishedEvent | null): void {
  if (event !== null && event.accountIds.size > 0) hub.publish({ id: context.newId(), ...event });
}
