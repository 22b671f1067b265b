import assert from "node:assert/strict";
import { test } from "node:test";
import { HOSTILE_ENDPOINTS, LOOKALIKE_ENDPOINTS } from "../../../test/support/hostile-endpoints.ts";
import { checkEndpoint, type EndpointPolicy } from "./endpoint-policy.ts";

const VENDORS: EndpointPolicy = { mode: "vendors", extraHosts: [], allowOrigins: [] };
const OPEN: EndpointPolicy = { ...VENDORS, mode: "open" };

test("endpoints that browsers use are allowed", () => {
  for (const endpoint of [
    "https://fcm.googleapis.com/fcm/send/dGVzdA:APA91b-test_x",
    "https://fcm.googleapis.com/wp/dGVzdA:APA91b",
    "https://jmt17.google.com/fcm/send/abc",
    "https://updates.push.services.mozilla.com/wpush/v2/gAAAAABk",
    "https://autopush.stage.push.services.mozilla.com/wpush/v2/x",
    "https://web.push.apple.com/QGz",
    "https://api.eu.push.apple.com/QGz",
    "https://wns2-par02p.notify.windows.com/w/?token=BQYAAAC%2b",
    "https://fcm.googleapis.com:443/fcm/send/abc",
  ]) {
    const result = checkEndpoint(VENDORS, endpoint);
    assert.ok(result.ok && result.isListedHost, endpoint);
  }
});

test("every hostile endpoint is refused in every mode", () => {
  assert.ok(HOSTILE_ENDPOINTS.length >= 60);
  for (const policy of [VENDORS, OPEN]) {
    for (const endpoint of HOSTILE_ENDPOINTS) {
      assert.ok(!checkEndpoint(policy, endpoint).ok, `${policy.mode}: ${endpoint}`);
    }
  }
});

test("a host that only looks like a vendor's is refused in vendors mode", () => {
  for (const endpoint of LOOKALIKE_ENDPOINTS) {
    assert.ok(!checkEndpoint(VENDORS, endpoint).ok, endpoint);
  }
});

test("open mode admits any public https host, and reports which ones are listed", () => {
  for (const [endpoint, isListedHost] of [
    ["https://ntfy.example.org/up?id=1", false],
    ["https://push.example.org:8443/x", false],
    ["https://fcm.googleapis.com/x", true],
    ["https://fcm.googleapis.com:443/x", true],
    // Vendors are listed with port 443 only: another port may belong to anyone.
    ["https://fcm.googleapis.com:8443/x", false],
    ["https://any.push.apple.com:8443/x", false],
  ] as const) {
    const result = checkEndpoint(OPEN, endpoint);
    assert.ok(result.ok, endpoint);
    assert.equal(result.isListedHost, isListedHost, endpoint);
  }
});

test("the operator's extra hosts match exactly, unless they start with a star", () => {
  const policy = { ...VENDORS, extraHosts: ["ntfy.sh", "*.up.example.org"] };
  assert.ok(checkEndpoint(policy, "https://ntfy.sh/up").ok);
  assert.ok(checkEndpoint(policy, "https://a.b.up.example.org/x").ok);
  assert.ok(!checkEndpoint(policy, "https://a.ntfy.sh/up").ok);
  assert.ok(!checkEndpoint(policy, "https://up.example.org/x").ok);
  assert.ok(!checkEndpoint(policy, "https://ntfy.sh:8443/up").ok);
});

test("the narrowest rule admits a host, and unlisted hosts share one rule", () => {
  const policy: EndpointPolicy = {
    mode: "open",
    extraHosts: ["*.example.org", "*.up.example.org", "one.up.example.org"],
    allowOrigins: ["http://127.0.0.1:8089"],
  };
  for (const [endpoint, name, admits] of [
    ["https://fcm.googleapis.com/x", "fcm.googleapis.com", "one host"],
    [
      "https://updates.push.services.mozilla.com/x",
      "updates.push.services.mozilla.com",
      "one host",
    ],
    ["https://a.notify.windows.com/x", "*.notify.windows.com", "hosts of a domain"],
    ["https://b.notify.windows.com/x", "*.notify.windows.com", "hosts of a domain"],
    ["https://a.example.org/x", "*.example.org", "hosts of a domain"],
    ["https://a.up.example.org/x", "*.up.example.org", "hosts of a domain"],
    ["https://one.up.example.org/x", "one.up.example.org", "one host"],
    ["https://a.up.example.org:8443/x", "*", "any host"],
    ["https://push.example.net/x", "*", "any host"],
    ["http://127.0.0.1:8089/x", "http://127.0.0.1:8089", "one host"],
  ] as const) {
    const result = checkEndpoint(policy, endpoint);
    assert.ok(result.ok, endpoint);
    assert.deepEqual(result.rule, { name, admits }, endpoint);
  }
});

test("an allowed origin must match exactly, and its endpoints have neither a user name nor a fragment", () => {
  const policy = { ...VENDORS, allowOrigins: ["http://127.0.0.1:8089"] };
  assert.ok(checkEndpoint(policy, "http://127.0.0.1:8089/push/1").ok);
  assert.ok(checkEndpoint(policy, "http://127.1:8089/push/1").ok);
  for (const endpoint of [
    "https://127.0.0.1:8089/x",
    "http://127.0.0.1:8088/x",
    "http://127.0.0.1/x",
    "http://127.0.0.2:8089/x",
    "http://localhost:8089/x",
    "http://user@127.0.0.1:8089/x",
    "http://127.0.0.1:8089/x#f",
  ]) {
    assert.ok(!checkEndpoint(policy, endpoint).ok, endpoint);
  }
});

test("a refusal contains the host, never the path", () => {
  const result = checkEndpoint(VENDORS, "https://push.example.org/secret-path");
  assert.deepEqual(result, {
    ok: false,
    host: "push.example.org",
    message: "The push service push.example.org is not allowed by this server.",
  });
});
