import type { Config } from "#config/config.ts";
import type { Peers } from "#delivery/deps.ts";
import type { ToldTrouble } from "#delivery/services/service-troubles.ts";
import { subscribeToNodes, type RemoteReport } from "#notifications/live/subscribe.ts";
import type { Nodes } from "#nodes/nodes.ts";
import type { Rooms } from "./rooms.ts";

const DUE = "due";
/** What nodes tell each other of push services in trouble. */
export const TROUBLE = "trouble";

/** Returns what delivering needs of the other nodes; null where the database is this process's own. */
export function peersOf({ database, role }: Config, nodes: Nodes): Peers | null {
  if (database.kind === "sqlite") return null;
  return {
    sends: role !== "api",
    mayClaim: () => nodes.isSettled,
    publishDue: () => nodes.publish(DUE),
  };
}

/** Lets the rooms hear what other nodes tell, and look by themselves for what may have passed by unheard. */
export function connectNodes(rooms: Rooms): void {
  const { nodes, delivery, mail, keys, rights } = rooms;
  const { worker } = delivery;
  subscribeToNodes(rooms);
  // The database tells these itself, see its migrations 0016 and 0031.
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
    const { notificationId, report } = body as RemoteReport; // Told by `createPublisher` of our own nodes.
    delivery.noteRemoteReport(notificationId, report);
  });
  nodes.on(TROUBLE, (body) => {
    delivery.troubles.take(body as ToldTrouble); // Told by `ServiceTroubles` of our own nodes.
  });
  nodes.on(DUE, () => void worker.takeDue());
  nodes.onDead((ids) => worker.reclaim(ids));
  nodes.onReturn(() => void worker.renewAll());
  nodes.onBeat(async () => {
    delivery.troubles.tellAgain();
    await worker.look();
    mail.wake();
  });
}
