import assert from "node:assert/strict";
import { createECDH, randomBytes } from "node:crypto";
import { test } from "node:test";
import { checkWebPushAddress } from "./check-address.ts";

const policy = { mode: "vendors", extraHosts: [], allowOrigins: [] } as const;
const endpoint = "https://fcm.googleapis.com/fcm/send/x";
const pair = createECDH("prime256v1");
const p256dh = pair.generateKeys("base64url");
const auth = randomBytes(16).toString("base64url");

function fieldAtFault(change: { endpoint?: string; p256dh?: string; auth?: string }) {
  const subscription = {
    endpoint: change.endpoint ?? endpoint,
    keys: { p256dh: change.p256dh ?? p256dh, auth: change.auth ?? auth },
  };
  const verdict = checkWebPushAddress({ policy }, subscription);
  return verdict.ok ? null : verdict.field;
}

test("a subscription as browsers make it may be registered", () => {
  assert.equal(fieldAtFault({}), null);
});

test("an endpoint outside the policy is named", () => {
  assert.equal(fieldAtFault({ endpoint: "https://127.0.0.1/x" }), "endpoint");
});

test("p256dh must be an uncompressed point on the curve", () => {
  const point = Buffer.from(p256dh, "base64url");
  const offCurve = Buffer.from(point);
  offCurve[64] = (offCurve[64] ?? 0) ^ 1;
  const zero = Buffer.alloc(65);
  zero[0] = 4;
  for (const wrong of [
    "",
    "not base64url!",
    `${p256dh}=`,
    `${p256dh}A`,
    point.toString("base64").replaceAll("=", "+"),
    point.subarray(0, 64).toString("base64url"),
    Buffer.concat([point, Buffer.from([0])]).toString("base64url"),
    pair.getPublicKey("base64url", "compressed"),
    pair.getPublicKey("base64url", "hybrid"),
    offCurve.toString("base64url"),
    zero.toString("base64url"),
    createECDH("secp256k1").generateKeys("base64url"),
  ]) {
    assert.equal(fieldAtFault({ p256dh: wrong }), "keys.p256dh", wrong);
  }
});

test("auth must be 16 bytes in their one spelling", () => {
  for (const wrong of [
    "",
    "abc",
    `${auth}==`,
    randomBytes(15).toString("base64url"),
    randomBytes(17).toString("base64url"),
    `${"A".repeat(21)}B`,
  ]) {
    assert.equal(fieldAtFault({ auth: wrong }), "keys.auth", wrong);
  }
});
