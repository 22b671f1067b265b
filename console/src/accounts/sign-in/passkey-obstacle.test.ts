import assert from "node:assert/strict";
import { test } from "node:test";
import { passkeyObstacleOf } from "./passkey-obstacle.ts";

test("the obstacles between a browser and passkeys are told, the most certain first", () => {
  const good = { hostname: "push.example.org", isSecureContext: true, isKnown: true };
  assert.equal(passkeyObstacleOf(good), null);
  assert.equal(passkeyObstacleOf({ ...good, hostname: "localhost" }), null);
  assert.equal(passkeyObstacleOf({ ...good, hostname: "192.168.1.20" }), "address");
  assert.equal(passkeyObstacleOf({ ...good, hostname: "[fd00::1]" }), "address");
  assert.equal(passkeyObstacleOf({ ...good, isSecureContext: false, isKnown: false }), "insecure");
  assert.equal(passkeyObstacleOf({ ...good, isKnown: false }), "browser");
});
