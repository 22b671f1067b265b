import assert from "node:assert/strict";
import { test } from "node:test";
import { findCapability, type BrowserFacts } from "./capability.ts";

const ENDPOINT = "https://push.example.org/1";
const ACCOUNT = { serverKey: "BKey", registeredEndpoint: ENDPOINT };

function createFacts(changes: Partial<BrowserFacts>): BrowserFacts {
  return {
    isSecure: true,
    hasWorkers: true,
    hasPush: true,
    hasNotifications: true,
    isAppleMobile: false,
    isInstalled: false,
    permission: "granted",
    subscription: { endpoint: ENDPOINT, serverKey: "BKey" },
    ...changes,
  };
}

test("a subscription with the server's key and a device of the account is on", () => {
  assert.equal(findCapability(createFacts({}), ACCOUNT), "on");
});

test("a browser that hides the key of its subscription is trusted", () => {
  const hidden = createFacts({ subscription: { endpoint: ENDPOINT, serverKey: null } });
  assert.equal(findCapability(hidden, ACCOUNT), "on");
});

test("a subscription with the key of another server has the wrong key", () => {
  const otherKey = createFacts({ subscription: { endpoint: ENDPOINT, serverKey: "BOther" } });
  assert.equal(findCapability(otherKey, ACCOUNT), "other-key");
});

test("notifications are off without a subscription, a permission or a device", () => {
  assert.equal(findCapability(createFacts({ subscription: null }), ACCOUNT), "off");
  assert.equal(findCapability(createFacts({ permission: "default" }), ACCOUNT), "off");
  assert.equal(findCapability(createFacts({}), { ...ACCOUNT, registeredEndpoint: null }), "off");
});

test("a device of another account is reported while it has a subscription", () => {
  const otherAccount = { ...ACCOUNT, registeredEndpoint: null, belongsToOtherAccount: true };
  assert.equal(findCapability(createFacts({}), otherAccount), "elsewhere");
  assert.equal(findCapability(createFacts({ subscription: null }), otherAccount), "off");
});

test("a blocked permission takes precedence over a missing subscription", () => {
  assert.equal(
    findCapability(createFacts({ permission: "denied", subscription: null }), ACCOUNT),
    "denied",
  );
});

test("an insecure context takes precedence over missing features", () => {
  const insecure = createFacts({ isSecure: false, hasWorkers: false, hasPush: false });
  assert.equal(findCapability(insecure, ACCOUNT), "insecure");
});

test("an iPhone needs the Home Screen until the app is installed", () => {
  const safari = createFacts({ isAppleMobile: true, hasPush: false, hasNotifications: false });
  assert.equal(findCapability(safari, ACCOUNT), "needs-home-screen");
  assert.equal(findCapability({ ...safari, isInstalled: true }, ACCOUNT), "unsupported");
});

test("a browser without push is unsupported", () => {
  assert.equal(findCapability(createFacts({ hasPush: false }), ACCOUNT), "unsupported");
  assert.equal(findCapability(createFacts({ hasWorkers: false }), ACCOUNT), "unsupported");
});
