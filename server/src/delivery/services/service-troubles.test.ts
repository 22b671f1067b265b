import assert from "node:assert/strict";
import test from "node:test";
import type { Hold } from "./hold.ts";
import { ServiceTroubles, type ServiceTrouble, type PublishedTrouble } from "./service-troubles.ts";

const holdSince = (since: number): Hold => ({
  cause: "failing",
  reason: { code: "unreachable", detail: null },
  since,
  until: 0,
  isForDevice: false,
});

/** Returns two nodes that exchange messages, and the troubles of each. */
function twoNodes() {
  let now = 0;
  const own: Record<string, ServiceTrouble[]> = { one: [], two: [] };
  const messages: PublishedTrouble[] = [];
  const node = (nodeId: "one" | "two") =>
    new ServiceTroubles({
      nodeId,
      own: () => own[nodeId] ?? [],
      publish: (message) => messages.push(message),
      elapsed: () => now,
    });
  const [one, two] = [node("one"), node("two")];
  const pass = () => {
    for (const message of messages.splice(0)) {
      if (message.nodeId === "one") two.take(message);
      else one.take(message);
    }
  };
  const wait = (ms: number) => (now += ms);
  const namesAt = (at: ServiceTroubles) => at.all().map(({ service }) => service);
  return { one, two, own, messages, pass, wait, namesAt };
}

test("a trouble at one node is known at the other until it ends", () => {
  const { one, two, own, pass, namesAt } = twoNodes();
  own["one"] = [{ service: "fcm", hold: holdSince(1) }];
  one.publish("fcm");
  pass();
  assert.deepEqual(namesAt(two), ["fcm"]);
  own["one"] = [];
  one.publish("fcm");
  pass();
  assert.deepEqual(namesAt(two), []);
});

test("a node that missed a trouble or its end learns of it within half a minute", () => {
  const { one, two, own, messages, pass, wait, namesAt } = twoNodes();
  own["one"] = [{ service: "fcm", hold: holdSince(1) }];
  one.publish("fcm");
  messages.length = 0;
  one.republish();
  pass();
  assert.deepEqual(namesAt(two), ["fcm"]);
  // A heartbeat comes every two seconds.
  for (let beats = 0; beats < 60; beats += 1) {
    wait(2_000);
    one.republish();
    pass();
    assert.deepEqual(namesAt(two), ["fcm"]);
  }
  own["one"] = [];
  wait(31_000);
  one.republish();
  pass();
  assert.deepEqual(namesAt(two), []);
});

test("a service that several nodes hold is listed once, with the earliest start", () => {
  const { one, two, own, pass } = twoNodes();
  own["one"] = [{ service: "fcm", hold: holdSince(5) }];
  own["two"] = [{ service: "fcm", hold: holdSince(3) }];
  two.publish("fcm");
  pass();
  assert.deepEqual(
    one.all().map(({ service, hold }) => [service, hold.since]),
    [["fcm", 3]],
  );
});

test("a node republishes at most fifty troubles", () => {
  const { one, own, messages } = twoNodes();
  own["one"] = Array.from({ length: 60 }, (_, index) => {
    return { service: `webpush ${index}.example`, hold: holdSince(1) };
  });
  one.republish();
  assert.equal(messages.length, 50);
});
