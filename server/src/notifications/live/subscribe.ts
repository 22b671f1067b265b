import type { FeedChange } from "@tocsin/sdk";
import type { Context } from "#context.ts";
import type { NewNotification } from "#delivery/delivery.ts";
import type { Report } from "#delivery/result/watch.ts";
import type { ChangedDevice } from "#devices/store/devices.ts";
import { findSentNotification } from "../log/store.ts";
import type { LiveHub } from "./hub.ts";
import {
  createLocalPublisher,
  type IncidentChangeMessage,
  type PromptChangeMessage,
  type NodePublisher,
  type NotificationReference,
} from "./publish.ts";

/** The channel of live events to and from the other nodes. */
export interface NodeChannel extends NodePublisher {
  /** False while messages from other nodes may be lost. */
  readonly isListening: boolean;
  /** Subscribes to a topic of the other nodes; `listener` must not throw. */
  on(topic: string, listener: (body: unknown) => void): void;
  /** Registers a listener for possible losses of messages; it must not throw. */
  onGap(listener: () => void): void;
  /** Registers a function that is called after other nodes died. */
  onDeadNodes(listener: (ids: readonly string[]) => Promise<void>): void;
}

/** The dependencies of the subscription to other nodes. */
export interface SubscriberDeps {
  readonly context: Context;
  readonly hub: LiveHub;
  readonly nodes: NodeChannel;
}

/** A report that another node publishes. */
export type RemoteReport = NotificationReference & { readonly report: Report };

/** The maximum number of cached notifications. A cache pays, because each notification has several reports in a row. */
const CACHED_NOTIFICATIONS_MAX = 200;

/** Publishes the messages of other nodes, which `createPublisher` sends there, to the streams of this node. */
export function subscribeToNodes(deps: SubscriberDeps): void {
  const { context, hub, nodes } = deps;
  const localPublisher = createLocalPublisher(deps);
  const loadNotification = createNotificationLoader(context);
  const forward = (
    reference: NotificationReference,
    publish: (notification: NewNotification) => void,
  ) => {
    const { watchedAccountIds: accountIds } = hub;
    const isWatched =
      reference.kind === "team" ? accountIds.length > 0 : accountIds.includes(reference.feedId);
    if (!isWatched) return;
    loadNotification(reference).then(
      (notification) => notification !== null && publish(notification),
      (error: unknown) => context.log.warn({ err: error }, "a live event was lost"),
    );
  };
  nodes.on("notification", (body) =>
    forward(body as NotificationReference, localPublisher.publishNotification),
  );
  nodes.on("delivery", (body) => {
    const { report, ...reference } = body as RemoteReport;
    forward(reference, (notification) => localPublisher.publishDelivery(notification, report));
  });
  nodes.on("read", (body) => {
    const { accountId, change } = body as { accountId: string; change: FeedChange };
    localPublisher.publishFeedChange(accountId, change);
  });
  nodes.on("incident", (body) => localPublisher.publishIncident(body as IncidentChangeMessage));
  nodes.on("prompt", (body) => localPublisher.publishPrompt(body as PromptChangeMessage));
  nodes.on("device", (body) => localPublisher.publishDevice(body as ChangedDevice));
  // While this node receives nothing, its streams stay open: they still get the events of this node.
  nodes.onGap(() => nodes.isListening && hub.endAllStreams());
  // A node may have died after it stored something and before it published it. Readers reconnect and load it.
  nodes.onDeadNodes(async () => hub.endAllStreams());
}

/** Returns a loader that caches the most recently used notifications. */
function createNotificationLoader(context: Context) {
  const cache = new Map<string, Promise<NewNotification | null>>();
  return ({ notificationId: id, feedId }: NotificationReference) => {
    const notification =
      cache.get(id) ?? findSentNotification(context, { id, audienceIds: [feedId] });
    cache.delete(id);
    cache.set(id, notification);
    notification.catch(() => cache.delete(id));
    const [oldest] = cache.keys();
    if (cache.size > CACHED_NOTIFICATIONS_MAX && oldest !== undefined) cache.delete(oldest);
    return notification;
  };
}
