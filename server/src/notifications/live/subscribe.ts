import type { FeedChange } from "@tocsin/sdk";
import type { Context } from "#context.ts";
import type { NewNotification } from "#delivery/delivery.ts";
import type { Report } from "#delivery/result/watch.ts";
import type { ChangedDevice } from "#devices/store/devices.ts";
import { findSent } from "../log/store.ts";
import type { LiveHub } from "./hub.ts";
import { createLocalPublisher, type NodePublisher, type NotificationAddress } from "./publish.ts";

/** Receives live events from the other nodes. */
export interface NodeSubscriptions extends NodePublisher {
  /** False while messages of the other nodes may be lost. */
  readonly isListening: boolean;
  /** Subscribes to a topic of the other nodes; `listener` must not throw. */
  on(topic: string, listener: (body: unknown) => void): void;
  /** Registers a listener for possible losses of messages; it must not throw. */
  onGap(listener: () => void): void;
}

export interface SubscriberDeps {
  readonly context: Context;
  readonly hub: LiveHub;
  readonly nodes: NodeSubscriptions;
}

/** A report that another node publishes. */
export type RemoteReport = NotificationAddress & { readonly report: Report };

/** The size of the cache. Each notification has several reports in a row. */
const CACHE_MAX = 200;

/** Publishes the messages of other nodes to the streams of this one. The other nodes write them with `createPublisher`. */
export function subscribeToNodes(deps: SubscriberDeps): void {
  const { context, hub, nodes } = deps;
  const local = createLocalPublisher(deps);
  const load = createLoader(context);
  const forward = (
    address: NotificationAddress,
    publish: (notification: NewNotification) => void,
  ) => {
    const { accountIds } = hub;
    const isWatched =
      address.kind === "team" ? accountIds.length > 0 : accountIds.includes(address.feedId);
    if (!isWatched) return;
    load(address).then(
      (notification) => notification !== null && publish(notification),
      (error: unknown) => context.log.warn({ err: error }, "a live event was lost"),
    );
  };
  nodes.on("notification", (body) => forward(body as NotificationAddress, local.notification));
  nodes.on("delivery", (body) => {
    const { report, ...address } = body as RemoteReport;
    forward(address, (notification) => local.delivery(notification, report));
  });
  nodes.on("read", (body) => {
    const { accountId, change } = body as { accountId: string; change: FeedChange };
    local.read(accountId, change);
  });
  nodes.on("device", (body) => local.device(body as ChangedDevice));
  // While this node receives nothing, its streams stay open: they still get the events of this node.
  nodes.onGap(() => nodes.isListening && hub.interrupt());
}

/** Returns a cached loader of notifications. */
function createLoader(context: Context) {
  const cache = new Map<string, Promise<NewNotification | null>>();
  return ({ notificationId: id, feedId }: NotificationAddress) => {
    const notification = cache.get(id) ?? findSent(context, { id, audienceIds: [feedId] });
    cache.delete(id);
    cache.set(id, notification);
    notification.catch(() => cache.delete(id));
    const [oldest] = cache.keys();
    if (cache.size > CACHE_MAX && oldest !== undefined) cache.delete(oldest);
    return notification;
  };
}
