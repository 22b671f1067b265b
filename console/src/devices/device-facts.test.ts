import assert from "node:assert/strict";
import { test } from "node:test";
import type { DeliveryState } from "@tocsin/sdk";
import { isPhone, getServiceName, toDeviceStatus } from "./device-facts.ts";

test("a push service has the name of its company, or of its host if the company is unknown", () => {
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
    assert.equal(getServiceName({ provider: "webpush", endpointHost }), name);
  }
  assert.equal(getServiceName({ provider: "apns", endpointHost: null }), "Apple");
  assert.equal(getServiceName({ provider: "stream", endpointHost: null }), null);
});

test("a browser on a phone counts as a phone", () => {
  assert.equal(isPhone({ platform: "web", name: "Safari on iPhone" }), true);
  assert.equal(isPhone({ platform: "web", name: "Firefox on Linux" }), false);
  assert.equal(isPhone({ platform: "ios", name: "Ann" }), true);
});

test("a device that is not paused is active, late or in trouble, depending on its last delivery", () => {
  const getStatusAfter = (state: DeliveryState, paused = false) =>
    toDeviceStatus({ paused, lastDelivery: { state, at: "2026-01-01T00:00:00.000Z" } });
  assert.equal(getStatusAfter("accepted"), "active");
  assert.equal(getStatusAfter("held"), "late");
  assert.equal(getStatusAfter("failed"), "trouble");
  assert.equal(getStatusAfter("failed", true), "paused");
  assert.equal(toDeviceStatus({ paused: false, lastDelivery: null }), "active");
});
