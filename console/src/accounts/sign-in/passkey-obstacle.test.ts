import assert from "node:assert/strict";
import { test } from "node:test";
import { findPasskeyObstacle } from "./passkey-obstacle.ts";

test("a browser without passkeys has one obstacle, the most certain first", () => {
  const supported = { hostname: "push.example.org", isSecureContext: true, isSupported: true };
  assert.equal(findPasskeyObstacle(supported), null);
  assert.equal(findPasskeyObstacle({ ...supported, hostname: "localhost" }), null);
  assert.equal(findPasskeyObstacle({ ...supported, hostname: "192.168.1.20" }), "address");
  assert.equal(findPasskeyObstacle({ ...supported, hostname: "[fd00::1]" }), "address");
  assert.equal(
    findPasskeyObstacle({ ...supported, isSecureContext: false, isSupported: false }),
    "insecure",
  );
  assert.equal(findPasskeyObstacle({ ...supported, isSupported: false }), "browser");
});
