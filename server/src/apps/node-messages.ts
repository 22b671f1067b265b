import type { Proof } from "./app.ts";
import type { ProofSignals } from "./proof-signals.ts";
import type { AppHub } from "./hub.ts";
import { RecentMap } from "#concurrency/recent-map.ts";

/** The other processes that share the database. */
export interface AppNodes {
  readonly id: string;
  /** Publishes a message to the other nodes soon; the message may be lost. */
  publish(topic: string, body?: unknown): void;
  /** Subscribes to the messages of other nodes on a topic; `handle` must not throw. */
  on(topic: string, handle: (body: unknown) => void): void;
}

const NEW_MESSAGES_TOPIC = "app_mail";
const PROOF_TOPIC = "app_taken";
const SECRET_TOPIC = "app_secret";

/** Maximum number of apps in one message to other nodes, because such a message has at most 7.9 KB. */
const DEVICES_PER_MESSAGE_MAX = 80;
/** Maximum number of apps for whose proofs another node may wait. */
const AWAITED_MAX = 20_000;

/** The apps that have new messages. */
interface NewMessages {
  /** The node that put the messages, and waits for the proofs. */
  readonly from: string;
  readonly deviceIds: readonly string[];
}

/** A proof: the app, the notification, and the kind. */
type ProofTuple = readonly [deviceId: string, notificationId: string, how: Proof];

/** Returns the functions that tell other nodes of new messages, proofs and ended secrets, and subscribes to theirs. */
export function createNodeMessages({
  nodes,
  hub,
  signals,
}: {
  readonly nodes: AppNodes;
  readonly hub: AppHub;
  readonly signals: ProofSignals;
}) {
  /** The apps for whose proofs another node may wait. */
  const awaited = new RecentMap<string, true>(AWAITED_MAX);
  nodes.on(NEW_MESSAGES_TOPIC, (body) => {
    const { deviceIds } = body as NewMessages; // Another node sent it.
    for (const deviceId of deviceIds) {
      if (!hub.has(deviceId)) continue;
      awaited.set(deviceId, true);
      hub.wake(deviceId);
    }
  });
  nodes.on(PROOF_TOPIC, (body) => {
    for (const tuple of body as readonly ProofTuple[]) signals.signal(...tuple);
  });
  nodes.on(SECRET_TOPIC, (body) => {
    hub.destroyWhere(({ app }) => app.credentialId === body);
  });
  const publishNewMessages = batchSoon<string>(DEVICES_PER_MESSAGE_MAX, (deviceIds) =>
    nodes.publish(NEW_MESSAGES_TOPIC, { from: nodes.id, deviceIds } satisfies NewMessages),
  );
  const publishProof = batchSoon<ProofTuple>(DEVICES_PER_MESSAGE_MAX, (tuples) =>
    nodes.publish(PROOF_TOPIC, tuples),
  );
  return {
    /** Wakes the streams of an app on the node that holds them. */
    hint(deviceId: string, nodeId: string): void {
      hub.wake(deviceId);
      if (nodeId !== nodes.id) publishNewMessages(deviceId);
    },
    publishProof(deviceId: string, notificationId: string, how: Proof): void {
      if (awaited.get(deviceId) !== undefined) publishProof([deviceId, notificationId, how]);
    },
    publishEndedSecret: (credentialId: string) => nodes.publish(SECRET_TOPIC, credentialId),
  };
}

/** Returns a function that collects items of one turn of the event loop, and passes them on in batches. */
function batchSoon<Item>(
  max: number,
  pass: (items: readonly Item[]) => void,
): (item: Item) => void {
  let items: Item[] = [];
  const flush = () => {
    const collected = items;
    items = [];
    for (let start = 0; start < collected.length; start += max)
      pass(collected.slice(start, start + max));
  };
  return (item) => {
    if (items.length === 0) setImmediate(flush);
    items.push(item);
  };
}
