import assert from "node:assert/strict";
import test from "node:test";
import type { Hold } from "./hold.ts";
import { ServiceTroubles, type ServiceTrouble, type PublishedTrouble } from "./service-troubles.ts";

const createHold = (since: number): Hold => ({
  cause: "failing",
  reason: { code: "unreachable", detail: null },
  since,
  until: 0,
  isForDevice: false,
});

/** Returns two nodes that exchange messages, and the troubles of each. */
function createTwoNodes() {
  let now = 0;
  const ownTroubles: Record<string, ServiceTrouble[]> = { one: [], two: [] };
  const messages: PublishedTrouble[] = [];
  const createNode = (nodeId: "one" | "two") =>
    new ServiceTroubles({
      nodeId,
      listOwnTroubles: () => ownTroubles[nodeId] ?? [],
      publish: (message) => messages.push(message),
      elapsed: () => now,
    });
  const one = createNode("one");
  const two = createNode("two");
  const exchangeMessages = () => {
    for (const message of messages.splice(0)) {
      if (message.nodeId === "one") two.receive(message);
      else one.receive(message);
    }
  };
  const advance = (ms: number) => (now += ms);
  const listServices = (node: ServiceTroubles) => node.listAll().map(({ service }) => service);
  return { one, two, ownTroubles, messages, exchangeMessages, advance, listServices };
}

test("trouble at one node is known at the other until it ends", () => {
  const { one, two, ownTroubles, exchangeMessages, listServices } = createTwoNodes();
  ownTroubles["one"] = [{ service: "fcm", hold: createHold(1) }];
  one.publish("fcm");
  exchangeMessages();
  assert.deepEqual(listServices(two), ["fcm"]);
  ownTroubles["one"] = [];
  one.publish("fcm");
  exchangeMessages();
  assert.deepEqual(listServices(two), []);
});

test("a node learns of trouble that it missed from the next repetition", () => {
  const { one, two, ownTroubles, messages, exchangeMessages, listServices } = createTwoNodes();
  ownTroubles["one"] = [{ service: "fcm", hold: createHold(1) }];
  one.publish("fcm");
  messages.length = 0;
  one.republish();
  exchangeMessages();
  assert.deepEqual(listServices(two), ["fcm"]);
});

test("a node keeps trouble that is repeated, and forgets trouble that is not repeated for 30 seconds", () => {
  const { one, two, ownTroubles, exchangeMessages, advance, listServices } = createTwoNodes();
  ownTroubles["one"] = [{ service: "fcm", hold: createHold(1) }];
  one.republish();
  exchangeMessages();
  // Heartbeats call `republish` every two seconds.
  for (let heartbeats = 0; heartbeats < 60; heartbeats += 1) {
    advance(2_000);
    one.republish();
    exchangeMessages();
    assert.deepEqual(listServices(two), ["fcm"]);
  }
  ownTroubles["one"] = [];
  advance(31_000);
  one.republish();
  exchangeMessages();
  assert.deepEqual(listServices(two), []);
});

test("a service that several nodes hold is listed once, with the earliest start", () => {
  const { one, two, ownTroubles, exchangeMessages } = createTwoNodes();
  ownTroubles["one"] = [{ service: "fcm", hold: createHold(5) }];
  ownTroubles["two"] = [{ service: "fcm", hold: createHold(3) }];
  two.publish("fcm");
  exchangeMessages();
  assert.deepEqual(
    one.listAll().map(({ service, hold }) => [service, hold.since]),
    [["fcm", 3]],
  );
});

test("a node republishes at most fifty troubles", () => {
  const { one, ownTroubles, messages } = createTwoNodes();
  ownTroubles["one"] = Array.from({ length: 60 }, (_, index) => {
    return { service: `webpush ${index}.example`, hold: createHold(1) };
  });
  one.republish();
  assert.equal(messages.length, 50);
});
