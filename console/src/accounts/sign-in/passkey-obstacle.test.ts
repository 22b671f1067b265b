import assert from "node:assert/strict";
import { test } from "node:test";
import { findPasskeyObstacle } from "./passkey-obstacle.ts";

test("a numeric address, an insecure page and a browser without support are obstacles to passkeys", () => {
  const supportedFacts = { hostname: "push.example.org", isSecureContext: true, isSupported: true };
  assert.equal(findPasskeyObstacle(supportedFacts), null);
  assert.equal(findPasskeyObstacle({ ...supportedFacts, hostname: "localhost" }), null);
  assert.equal(findPasskeyObstacle({ ...supportedFacts, hostname: "192.168.1.20" }), "address");
  assert.equal(findPasskeyObstacle({ ...supportedFacts, hostname: "[fd00::1]" }), "address");
  assert.equal(
    findPasskeyObstacle({ ...supportedFacts, isSecureContext: false, isSupported: false }),
    "insecure",
  );
  assert.equal(findPasskeyObstacle({ ...supportedFacts, isSupported: false }), "browser");
});
