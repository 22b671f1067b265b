import assert from "node:assert/strict";
import { createECDH, randomBytes } from "node:crypto";
import { test } from "node:test";
import { checkWebPushAddress } from "./check-address.ts";

const policy = { mode: "vendors", extraHosts: [], allowOrigins: [] } as const;
const endpoint = "https://fcm.googleapis.com/fcm/send/x";
/** The first byte of an uncompressed point (SEC 1 section 2.3.3). */
const UNCOMPRESSED_FORM = 4;
const ecdh = createECDH("prime256v1");
const p256dh = ecdh.generateKeys("base64url");
const auth = randomBytes(16).toString("base64url");

function findInvalidField(change: { endpoint?: string; p256dh?: string; auth?: string }) {
  const subscription = {
    endpoint: change.endpoint ?? endpoint,
    keys: { p256dh: change.p256dh ?? p256dh, auth: change.auth ?? auth },
  };
  const result = checkWebPushAddress({ policy }, subscription);
  return result.ok ? null : result.field;
}

test("a subscription from a browser may be registered", () => {
  assert.equal(findInvalidField({}), null);
});

test("an endpoint outside the policy is reported", () => {
  assert.equal(findInvalidField({ endpoint: "https://127.0.0.1/x" }), "endpoint");
});

test("p256dh must be an uncompressed point on the curve", () => {
  const point = Buffer.from(p256dh, "base64url");
  const offCurve = Buffer.from(point);
  offCurve[point.length - 1] = (offCurve.at(-1) ?? 0) ^ 1;
  const zero = Buffer.alloc(point.length);
  zero[0] = UNCOMPRESSED_FORM;
  for (const invalid of [
    "",
    "not base64url!",
    `${p256dh}=`,
    `${p256dh}A`,
    point.toString("base64").replaceAll("=", "+"),
    point.subarray(0, 64).toString("base64url"),
    Buffer.concat([point, Buffer.from([0])]).toString("base64url"),
    ecdh.getPublicKey("base64url", "compressed"),
    ecdh.getPublicKey("base64url", "hybrid"),
    offCurve.toString("base64url"),
    zero.toString("base64url"),
    createECDH("secp256k1").generateKeys("base64url"),
  ]) {
    assert.equal(findInvalidField({ p256dh: invalid }), "keys.p256dh", invalid);
  }
});

test("auth must be 16 bytes in canonical base64url", () => {
  for (const invalid of [
    "",
    "abc",
    `${auth}==`,
    randomBytes(15).toString("base64url"),
    randomBytes(17).toString("base64url"),
    `${"A".repeat(21)}B`,
  ]) {
    assert.equal(findInvalidField({ auth: invalid }), "keys.auth", invalid);
  }
});
