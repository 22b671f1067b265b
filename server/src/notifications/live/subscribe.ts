import type { FeedChange } from "@tocsin/sdk";
import type { Context } from "#context.ts";
import type { NewNotification } from "#delivery/delivery.ts";
import type { Report } from "#delivery/result/watch.ts";
import type { ChangedDevice } from "#devices/store/devices.ts";
import { findSent } from "../log/store.ts";
import type { LiveHub } from "./hub.ts";
import { createLocalPublisher, type NodePublisher, type NotificationAddress } from "./publish.ts";

/** The way of live events from the other nodes. */
export interface NodeSubscriptions extends NodePublisher {
  /** False while messages of the others may be lost. */
  readonly isListening: boolean;
  /** Subscribes to the others' messages on a topic; `take` must not throw. */
  on(topic: string, take: (body: unknown) => void): void;
  /** Registers what runs whenever messages may have been lost; must not throw. */
  onGap(run: () => void): void;
}

export interface SubscriberDeps {
  readonly context: Context;
  readonly hub: LiveHub;
  readonly nodes: NodeSubscriptions;
}

/** A report that another node publishes. */
export type RemoteReport = NotificationAddress & { readonly report: Report };

/** Notifications that are cached, because each has several reports in a row. */
const LOADED_MAX = 200;

/**
 * Publishes the messages of other nodes to the streams of this one. Their bodies come from `createPublisher` on our own
 * nodes.
 */
export function subscribeToNodes(deps: SubscriberDeps): void {
  const { context, hub, nodes } = deps;
  const here = createLocalPublisher(deps);
  const find = createFinder(context);
  const pass = (address: NotificationAddress, publish: (found: NewNotification) => void) => {
    const { accountIds } = hub;
    const isWatched =
      address.kind === "team" ? accountIds.length > 0 : accountIds.includes(address.feedId);
    if (!isWatched) return;
    find(address).then(
      (found) => found !== null && publish(found),
      (error: unknown) => context.log.warn({ err: error }, "a live event was lost"),
    );
  };
  nodes.on("notification", (body) => pass(body as NotificationAddress, here.notification));
  nodes.on("delivery", (body) => {
    const { report, ...address } = body as RemoteReport;
    pass(address, (found) => here.delivery(found, report));
  });
  nodes.on("read", (body) => {
    const { accountId, change } = body as { accountId: string; change: FeedChange };
    here.read(accountId, change);
  });
  nodes.on("device", (body) => here.device(body as ChangedDevice));
  // While this node receives nothing, its streams stay open: they still get the events of this node.
  nodes.onGap(() => nodes.isListening && hub.interrupt());
}

/** Returns a cached loader of notifications. */
function createFinder(context: Context) {
  const loaded = new Map<string, Promise<NewNotification | null>>();
  return ({ notificationId: id, feedId }: NotificationAddress) => {
    const found = loaded.get(id) ?? findSent(context, { id, audienceIds: [feedId] });
    loaded.delete(id);
    loaded.set(id, found);
    found.catch(() => loaded.delete(id));
    const [oldest] = loaded.keys();
    if (loaded.size > LOADED_MAX && oldest !== undefined) loaded.delete(oldest);
    return found;
  };
}
