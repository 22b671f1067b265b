import assert from "node:assert/strict";
import { test } from "node:test";
import { findCapability, type BrowserFacts } from "./capability.ts";

const ENDPOINT = "https://push.example.org/1";
const ACCOUNT = { serverKey: "BKey", registeredEndpoint: ENDPOINT };

function createBrowserFacts(overrides: Partial<BrowserFacts>): BrowserFacts {
  return {
    isSecure: true,
    hasServiceWorkers: true,
    hasPush: true,
    hasNotifications: true,
    isAppleMobile: false,
    isInstalled: false,
    permission: "granted",
    subscription: { endpoint: ENDPOINT, serverKey: "BKey" },
    ...overrides,
  };
}

test("notifications are on if the subscription has the server's key and is a device of the account", () => {
  assert.equal(findCapability(createBrowserFacts({}), ACCOUNT), "on");
});

test("a subscription with a hidden key counts as having the server's key", () => {
  const factsWithHiddenKey = createBrowserFacts({
    subscription: { endpoint: ENDPOINT, serverKey: null },
  });
  assert.equal(findCapability(factsWithHiddenKey, ACCOUNT), "on");
});

test("a subscription with the key of another server has the wrong key", () => {
  const factsWithOtherKey = createBrowserFacts({
    subscription: { endpoint: ENDPOINT, serverKey: "BOther" },
  });
  assert.equal(findCapability(factsWithOtherKey, ACCOUNT), "other-key");
});

test("notifications are off without a subscription, a permission or a device", () => {
  assert.equal(findCapability(createBrowserFacts({ subscription: null }), ACCOUNT), "off");
  assert.equal(findCapability(createBrowserFacts({ permission: "default" }), ACCOUNT), "off");
  assert.equal(
    findCapability(createBrowserFacts({}), { ...ACCOUNT, registeredEndpoint: null }),
    "off",
  );
});

test("a device of another account is reported while it has a subscription", () => {
  const otherAccount = { ...ACCOUNT, registeredEndpoint: null, belongsToOtherAccount: true };
  assert.equal(findCapability(createBrowserFacts({}), otherAccount), "elsewhere");
  assert.equal(findCapability(createBrowserFacts({ subscription: null }), otherAccount), "off");
});

test("a blocked permission takes precedence over a missing subscription", () => {
  assert.equal(
    findCapability(createBrowserFacts({ permission: "denied", subscription: null }), ACCOUNT),
    "denied",
  );
});

test("an insecure context takes precedence over missing features", () => {
  const insecureFacts = createBrowserFacts({
    isSecure: false,
    hasServiceWorkers: false,
    hasPush: false,
  });
  assert.equal(findCapability(insecureFacts, ACCOUNT), "insecure");
});

test("an iPhone needs the Home Screen until the app is installed", () => {
  const safariFacts = createBrowserFacts({
    isAppleMobile: true,
    hasPush: false,
    hasNotifications: false,
  });
  assert.equal(findCapability(safariFacts, ACCOUNT), "needs-home-screen");
  assert.equal(findCapability({ ...safariFacts, isInstalled: true }, ACCOUNT), "unsupported");
});

test("a browser without push is unsupported", () => {
  assert.equal(findCapability(createBrowserFacts({ hasPush: false }), ACCOUNT), "unsupported");
  assert.equal(
    findCapability(createBrowserFacts({ hasServiceWorkers: false }), ACCOUNT),
    "unsupported",
  );
});
