import assert from "node:assert/strict";
import { test } from "node:test";
import type { DeliveryState } from "@tocsin/sdk";
import { isPhone, serviceOf, standingOf } from "./device-facts.ts";

test("a push service is told by the name that people know", () => {
  const hosts = {
    "web.push.apple.com": "Apple",
    "fcm.googleapis.com": "Google",
    "jmt17.google.com": "Google",
    "updates.push.services.mozilla.com": "Mozilla",
    "wns2-par02p.notify.windows.com": "Microsoft",
    "push.example.org": "push.example.org",
    "evilgoogle.com": "evilgoogle.com",
  };
  for (const [endpointHost, name] of Object.entries(hosts)) {
    assert.equal(serviceOf({ provider: "webpush", endpointHost }), name);
  }
  assert.equal(serviceOf({ provider: "apns", endpointHost: null }), "Apple");
});

test("a browser on a phone is a phone", () => {
  assert.equal(isPhone({ platform: "web", name: "Safari on iPhone" }), true);
  assert.equal(isPhone({ platform: "web", name: "Firefox on Linux" }), false);
  assert.equal(isPhone({ platform: "ios", name: "Ann" }), true);
});

test("a device is in trouble when what was sent last did not arrive, unless it is paused", () => {
  const standing = (state: DeliveryState, paused = false) =>
    standingOf({ paused, lastDelivery: { state, at: "2026-01-01T00:00:00.000Z" } });
  assert.equal(standing("accepted"), "active");
  assert.equal(standing("held"), "late");
  assert.equal(standing("failed"), "trouble");
  assert.equal(standing("failed", true), "paused");
  assert.equal(standingOf({ paused: false, lastDelivery: null }), "active");
});
