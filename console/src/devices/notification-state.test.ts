import assert from "node:assert/strict";
import { test } from "node:test";
import { findNotificationState, type BrowserFacts } from "./notification-state.ts";

const ENDPOINT = "https://push.example.org/1";
const REGISTRATION = { serverKey: "BKey", registeredEndpoint: ENDPOINT };

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
  assert.equal(findNotificationState(createBrowserFacts({}), REGISTRATION), "on");
});

test("a subscription with a hidden key counts as having the server's key", () => {
  const factsWithHiddenKey = createBrowserFacts({
    subscription: { endpoint: ENDPOINT, serverKey: null },
  });
  assert.equal(findNotificationState(factsWithHiddenKey, REGISTRATION), "on");
});

test("a subscription with another key than the server's is reported", () => {
  const factsWithOtherKey = createBrowserFacts({
    subscription: { endpoint: ENDPOINT, serverKey: "BOther" },
  });
  assert.equal(findNotificationState(factsWithOtherKey, REGISTRATION), "other-key");
});

test("notifications are off without a subscription, a permission or a device", () => {
  assert.equal(
    findNotificationState(createBrowserFacts({ subscription: null }), REGISTRATION),
    "off",
  );
  assert.equal(
    findNotificationState(createBrowserFacts({ permission: "default" }), REGISTRATION),
    "off",
  );
  assert.equal(
    findNotificationState(createBrowserFacts({}), { ...REGISTRATION, registeredEndpoint: null }),
    "off",
  );
});

test("a device of another account is reported while it has a subscription", () => {
  const otherAccount = { ...REGISTRATION, registeredEndpoint: null, belongsToOtherAccount: true };
  assert.equal(findNotificationState(createBrowserFacts({}), otherAccount), "other-account");
  assert.equal(
    findNotificationState(createBrowserFacts({ subscription: null }), otherAccount),
    "off",
  );
});

test("a blocked permission takes precedence over a missing subscription", () => {
  assert.equal(
    findNotificationState(
      createBrowserFacts({ permission: "denied", subscription: null }),
      REGISTRATION,
    ),
    "denied",
  );
});

test("an insecure context takes precedence over missing features", () => {
  const insecureFacts = createBrowserFacts({
    isSecure: false,
    hasServiceWorkers: false,
    hasPush: false,
  });
  assert.equal(findNotificationState(insecureFacts, REGISTRATION), "insecure");
});

test("an iPhone needs the Home Screen until the app is installed", () => {
  const safariFacts = createBrowserFacts({
    isAppleMobile: true,
    hasPush: false,
    hasNotifications: false,
  });
  assert.equal(findNotificationState(safariFacts, REGISTRATION), "needs-home-screen");
  assert.equal(
    findNotificationState({ ...safariFacts, isInstalled: true }, REGISTRATION),
    "unsupported",
  );
});

test("a browser without push is unsupported", () => {
  assert.equal(
    findNotificationState(createBrowserFacts({ hasPush: false }), REGISTRATION),
    "unsupported",
  );
  assert.equal(
    findNotificationState(createBrowserFacts({ hasServiceWorkers: false }), REGISTRATION),
    "unsupported",
  );
});
