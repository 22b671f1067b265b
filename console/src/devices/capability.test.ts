import assert from "node:assert/strict";
import { test } from "node:test";
import { capabilityOf, type BrowserFacts } from "./capability.ts";

const ENDPOINT = "https://push.example.org/1";
const ACCOUNT = { serverKey: "BKey", registeredEndpoint: ENDPOINT };

function facts(difference: Partial<BrowserFacts>): BrowserFacts {
  return {
    isSecure: true,
    hasWorkers: true,
    hasPush: true,
    hasNotifications: true,
    isAppleMobile: false,
    isInstalled: false,
    permission: "granted",
    subscription: { endpoint: ENDPOINT, serverKey: "BKey" },
    ...difference,
  };
}

test("a subscription with the server's key and a device of the account is on", () => {
  assert.equal(capabilityOf(facts({}), ACCOUNT), "on");
});

test("a browser that hides the key of its subscription is trusted", () => {
  const hidden = facts({ subscription: { endpoint: ENDPOINT, serverKey: null } });
  assert.equal(capabilityOf(hidden, ACCOUNT), "on");
});

test("a subscription with the key of another server is told apart", () => {
  const foreign = facts({ subscription: { endpoint: ENDPOINT, serverKey: "BOther" } });
  assert.equal(capabilityOf(foreign, ACCOUNT), "other-key");
});

test("without a subscription, a permission or a device of this account it is off", () => {
  assert.equal(capabilityOf(facts({ subscription: null }), ACCOUNT), "off");
  assert.equal(capabilityOf(facts({ permission: "default" }), ACCOUNT), "off");
  assert.equal(capabilityOf(facts({}), { ...ACCOUNT, registeredEndpoint: null }), "off");
});

test("a browser that another account left behind says so, as long as anything could arrive", () => {
  const left = { ...ACCOUNT, registeredEndpoint: null, isElsewhere: true };
  assert.equal(capabilityOf(facts({}), left), "elsewhere");
  assert.equal(capabilityOf(facts({ subscription: null }), left), "off");
});

test("a refused permission is told before anything else that could be mended", () => {
  assert.equal(
    capabilityOf(facts({ permission: "denied", subscription: null }), ACCOUNT),
    "denied",
  );
});

test("a page without a secure context says so, although workers are missing too", () => {
  const plain = facts({ isSecure: false, hasWorkers: false, hasPush: false });
  assert.equal(capabilityOf(plain, ACCOUNT), "insecure");
});

test("an iPhone needs the Home Screen only while it is not there", () => {
  const safari = facts({ isAppleMobile: true, hasPush: false, hasNotifications: false });
  assert.equal(capabilityOf(safari, ACCOUNT), "needs-home-screen");
  assert.equal(capabilityOf({ ...safari, isInstalled: true }, ACCOUNT), "unsupported");
});

test("a browser without push is unsupported", () => {
  assert.equal(capabilityOf(facts({ hasPush: false }), ACCOUNT), "unsupported");
  assert.equal(capabilityOf(facts({ hasWorkers: false }), ACCOUNT), "unsupported");
});
