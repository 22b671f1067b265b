import assert from "node:assert/strict";
import { test } from "node:test";
import {
  asksRarely,
  getAppName,
  hasConnected,
  listPhoneApps,
  toTopicLink,
  waitsForApp,
} from "./app-facts.ts";

const APP = { client: "ntfy", connected: false, lastConnectedAt: null, topic: "all-x" } as const;

test("a topic's link has the host, the channel and a display name, and says if there is no TLS", () => {
  assert.equal(
    toTopicLink("https://push.example.org", "backups"),
    "ntfy://push.example.org/backups?display=Backups",
  );
  assert.equal(
    toTopicLink("http://10.0.0.2:8080/", "a-b"),
    "ntfy://10.0.0.2:8080/a-b?display=A-b&secure=false",
  );
  assert.equal(toTopicLink("https://push.example.org", "Devices"), null);
});

test("an app has connected if it is connected now or was before", () => {
  assert.equal(hasConnected({}), false);
  assert.equal(hasConnected({ app: APP }), false);
  assert.equal(hasConnected({ app: { ...APP, connected: true } }), true);
  assert.equal(hasConnected({ app: { ...APP, lastConnectedAt: "2026-01-01T00:00:00Z" } }), true);
});

test("held notifications wait for the app of a device, or for the push service of a device without an app", () => {
  const lastDelivery = { state: "held", at: "2026-01-01T00:00:00Z" } as const;
  assert.equal(waitsForApp({ app: APP, lastDelivery }), true);
  assert.equal(waitsForApp({ lastDelivery }), false);
  assert.equal(
    waitsForApp({ app: APP, lastDelivery: { ...lastDelivery, state: "failed" } }),
    false,
  );
  assert.equal(waitsForApp({ app: APP, lastDelivery: null }), false);
});

test("only the ntfy app on an iPhone asks rarely", () => {
  assert.equal(asksRarely({ app: APP, platform: "ios" }), true);
  assert.equal(asksRarely({ app: APP, platform: "android" }), false);
  assert.equal(asksRarely({ platform: "ios" }), false);
});

test("an unknown app has no name", () => {
  assert.equal(getAppName({ client: "gotify" }), "Gotify");
  assert.equal(getAppName({ client: "other" }), null);
});

test("only apps whose API the server speaks are offered", () => {
  assert.deepEqual(listPhoneApps(["pushover", "gotify", "ntfy"]), ["ntfy", "gotify"]);
  assert.deepEqual(listPhoneApps(["gotify"]), ["gotify"]);
  assert.deepEqual(listPhoneApps(["pushover"]), []);
});
