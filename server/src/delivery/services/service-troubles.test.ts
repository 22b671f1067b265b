import assert from "node:assert/strict";
import test from "node:test";
import type { Hold } from "./hold.ts";
import { ServiceTroubles, type ServiceTrouble, type PublishedTrouble } from "./service-troubles.ts";

const held = (since: number): Hold => ({
  cause: "failing",
  reason: { code: "unreachable", detail: null },
  since,
  until: 0,
  isForDevice: false,
});

/** Two nodes that hear each other, and what is the matter at each. */
function twoNodes() {
  let now = 0;
  const own: Record<string, ServiceTrouble[]> = { one: [], two: [] };
  const told: PublishedTrouble[] = [];
  const node = (nodeId: "one" | "two") =>
    new ServiceTroubles({
      nodeId,
      own: () => own[nodeId] ?? [],
      publish: (news) => told.push(news),
      elapsed: () => now,
    });
  const [one, two] = [node("one"), node("two")];
  const pass = () => {
    for (const news of told.splice(0)) {
      if (news.nodeId === "one") two.take(news);
      else one.take(news);
    }
  };
  const wait = (ms: number) => (now += ms);
  const namesAt = (at: ServiceTroubles) => at.all().map(({ service }) => service);
  return { one, two, own, told, pass, wait, namesAt };
}

test("a trouble at one node is known at the other until it is over", () => {
  const { one, two, own, pass, namesAt } = twoNodes();
  own["one"] = [{ service: "fcm", hold: held(1) }];
  one.publish("fcm");
  pass();
  assert.deepEqual(namesAt(two), ["fcm"]);
  own["one"] = [];
  one.publish("fcm");
  pass();
  assert.deepEqual(namesAt(two), []);
});

test("a node that missed a trouble, or its end, knows within half a minute", () => {
  const { one, two, own, told, pass, wait, namesAt } = twoNodes();
  own["one"] = [{ service: "fcm", hold: held(1) }];
  one.publish("fcm");
  told.length = 0;
  one.republish();
  pass();
  assert.deepEqual(namesAt(two), ["fcm"]);
  // A beat comes every two seconds.
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

test("a service that several nodes hold is told once, since the first of them", () => {
  const { one, two, own, pass } = twoNodes();
  own["one"] = [{ service: "fcm", hold: held(5) }];
  own["two"] = [{ service: "fcm", hold: held(3) }];
  two.publish("fcm");
  pass();
  assert.deepEqual(
    one.all().map(({ service, hold }) => [service, hold.since]),
    [["fcm", 3]],
  );
});

test("of many troubles fifty are told again: anybody can name a push service", () => {
  const { one, own, told } = twoNodes();
  own["one"] = Array.from({ length: 60 }, (_, index) => {
    return { service: `webpush ${index}.example`, hold: held(1) };
  });
  one.republish();
  assert.equal(told.length, 50);
});
