import type { Config } from "#config/config.ts";
import type { QueueSharing } from "#delivery/deps.ts";
import type { PublishedTrouble } from "#delivery/services/service-troubles.ts";
import type { IncidentChangeMessage, PromptChangeMessage } from "#notifications/live/publish.ts";
import { subscribeToNodes, type RemoteReport } from "#notifications/live/subscribe.ts";
import type { Nodes } from "#nodes/nodes.ts";
import { CALLBACK_TOPIC } from "./create-callbacks.ts";
import { connectApps } from "./create-apps.ts";
import type { Rooms } from "./rooms.ts";

const DUE_TOPIC = "due";
/** The topic of messages about timers that were set. */
export const TIMER_TOPIC = "timer";
/** The topic of messages about push services in trouble. */
export const TROUBLE_TOPIC = "trouble";

/** Returns how this process shares the queue; null if the database belongs to this process only. */
export function createQueueSharing({ database, role }: Config, nodes: Nodes): QueueSharing | null {
  if (database.kind === "sqlite") return null;
  return {
    shouldSend: role !== "api",
    mayClaim: () => nodes.isStable,
    publishJobsDue: () => nodes.publish(DUE_TOPIC),
  };
}

/**
 * Subscribes the rooms to messages of other nodes. After a gap, they check by themselves for anything that a lost
 * message announced.
 */
export function connectNodes(rooms: Rooms): void {
  const { nodes, timers, delivery, incidents, mail, callbacks, keys, credentialChecks } = rooms;
  const { worker } = delivery;
  subscribeToNodes(rooms);
  connectApps(rooms.apps, nodes);
  // The database itself publishes the next three topics; see migrations 0016 and 0031.
  nodes.on("key", (id) => keys.evictKey(String(id)));
  nodes.on("account", (id) => {
    keys.evictAccount(String(id));
    credentialChecks.review(String(id));
  });
  nodes.on("signed_out", (id) => credentialChecks.review(String(id)));
  nodes.onGap(() => {
    keys.evictAll();
    credentialChecks.reviewAll();
  });
  nodes.on("delivery", (body) => {
    const { notificationId, report } = body as RemoteReport; // `createPublisher` of another node sent it.
    delivery.addRemoteReport(notificationId, report);
  });
  nodes.on(TROUBLE_TOPIC, (body) => {
    delivery.troubles.receive(body as PublishedTrouble); // `ServiceTroubles` of another node sent it.
  });
  nodes.on(TIMER_TOPIC, (at) => timers.receiveSet(Number(at)));
  nodes.on("incident", (body) => {
    const { incidentId } = body as IncidentChangeMessage; // Published by `createPublisher` of another node.
    incidents.signal(incidentId);
  });
  nodes.on("prompt", (body) => {
    const { promptId } = body as PromptChangeMessage; // Published by `createPublisher` of another node.
    incidents.signal(promptId);
  });
  nodes.onGap(() => incidents.signalAll());
  nodes.on(DUE_TOPIC, () => void worker.claimDue());
  nodes.on(CALLBACK_TOPIC, () => callbacks.wake());
  nodes.onDeadNodes((ids) => worker.reclaim(ids));
  nodes.onRejoin(() => void worker.renewLeases());
  nodes.onHeartbeat(async () => {
    delivery.troubles.republish();
    await worker.poll();
    timers.wake();
    mail.wake();
    callbacks.wake();
  });
}
