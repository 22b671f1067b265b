import type { Config } from "#config/config.ts";
import type { Peers } from "#delivery/deps.ts";
import type { PublishedTrouble } from "#delivery/services/service-troubles.ts";
import { subscribeToNodes, type RemoteReport } from "#notifications/live/subscribe.ts";
import type { Nodes } from "#nodes/nodes.ts";
import type { Rooms } from "./rooms.ts";

const DUE = "due";
/** The topic of messages about push services in trouble. */
export const TROUBLE = "trouble";

/** Returns the other nodes in the form that delivery needs; null if the database belongs to this process only. */
export function peersOf({ database, role }: Config, nodes: Nodes): Peers | null {
  if (database.kind === "sqlite") return null;
  return {
    sends: role !== "api",
    mayClaim: () => nodes.isSettled,
    publishDue: () => nodes.publish(DUE),
  };
}

/**
 * Subscribes the rooms to messages of other nodes. After a gap, they check by themselves for anything that a lost
 * message announced.
 */
export function connectNodes(rooms: Rooms): void {
  const { nodes, delivery, mail, keys, rights } = rooms;
  const { worker } = delivery;
  subscribeToNodes(rooms);
  // The database itself publishes these, see migrations 0016 and 0031.
  nodes.on("key", (id) => keys.forget(String(id)));
  nodes.on("account", (id) => {
    keys.forgetAccount(String(id));
    rights.review(String(id));
  });
  nodes.on("signed_out", (id) => rights.review(String(id)));
  nodes.onGap(() => {
    keys.forgetAll();
    rights.reviewAll();
  });
  nodes.on("delivery", (body) => {
    const { notificationId, report } = body as RemoteReport; // Published by `createPublisher` of another node.
    delivery.noteRemoteReport(notificationId, report);
  });
  nodes.on(TROUBLE, (body) => {
    delivery.troubles.take(body as PublishedTrouble); // Published by `ServiceTroubles` of another node.
  });
  nodes.on(DUE, () => void worker.takeDue());
  nodes.onDead((ids) => worker.reclaim(ids));
  nodes.onReturn(() => void worker.renewAll());
  nodes.onBeat(async () => {
    delivery.troubles.republish();
    await worker.look();
    mail.wake();
  });
}
