import assert from "node:assert/strict";
import { test } from "node:test";
import { checkEndpoint } from "./endpoint-policy.ts";
import type { EndpointPolicy } from "./endpoint-policy.ts";

const VENDORS: EndpointPolicy = { mode: "vendors", extraHosts: [], allowOrigins: [] };
const OPEN: EndpointPolicy = { ...VENDORS, mode: "open" };

test("the endpoints that browsers really hand out are allowed", () => {
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
    const verdict = checkEndpoint(VENDORS, endpoint);
    assert.ok(verdict.ok && verdict.isVouchedFor, endpoint);
  }
});

/** Refused in every mode. */
const HOSTILE = [
  // Not an https URL of one plain spelling.
  "",
  "fcm.googleapis.com/fcm/send/x",
  "//fcm.googleapis.com/x",
  "http://fcm.googleapis.com/x",
  "ftp://fcm.googleapis.com/x",
  "file:///etc/passwd",
  "javascript:alert(1)",
  "data:text/plain,x",
  "ws://fcm.googleapis.com/x",
  "https://",
  "https:///",
  "https://fcm.googleapis.com\\@127.0.0.1/x",
  "https:\\\\127.0.0.1\\x",
  " https://fcm.googleapis.com/x",
  "https://fcm.googleapis.com/x ",
  "https://fcm.goog\tleapis.com/x",
  "https://fcm.googleapis.com/x\r\nHost: evil",
  "https://fcm.googleapis.com/\u0000",
  "https://fcm.googleapis.com/ü",
  `https://fcm.googleapis.com/${"x".repeat(974)}`,
  // User names and fragments.
  "https://user@fcm.googleapis.com/x",
  "https://user:secret@fcm.googleapis.com/x",
  "https://@fcm.googleapis.com/x",
  "https://fcm.googleapis.com@evil.example.org/x",
  "https://fcm.googleapis.com%40evil.example.org/x",
  "https://fcm.googleapis.com/x#fragment",
  "https://fcm.googleapis.com/x#",
  // IP literals in every spelling a URL parser knows.
  "https://127.0.0.1/x",
  "https://127.0.0.1:9200/a.google.com/",
  "https://127.1/x",
  "https://127.0.1/x",
  "https://2130706433/x",
  "https://0x7f000001/x",
  "https://0x7f.1/x",
  "https://0177.0.0.1/x",
  "https://017700000001/x",
  "https://0/x",
  "https://0.0.0.0/x",
  "https://127.0.0.1./x",
  "https://%31%32%37.0.0.1/x",
  "https://①②⑦.0.0.1/x",
  "https://127。0。0。1/x",
  "https://8.8.8.8/x",
  "https://169.254.169.254/latest/meta-data",
  "https://192.168.1.1/x",
  "https://[::1]/x",
  "https://[::]/x",
  "https://[0:0:0:0:0:0:0:1]/x",
  "https://[::ffff:127.0.0.1]/x",
  "https://[::ffff:7f00:1]/x",
  "https://[64:ff9b::7f00:1]/x",
  "https://[fe80::1]/x",
  "https://[fe80::1%25eth0]/x",
  "https://[2606:4700:4700::1111]/x",
  "https://999.1.1.1/x",
  // Names of one network.
  "https://localhost/x",
  "https://LOCALHOST/x",
  "https://localhost./x",
  "https://redis/x",
  "https://printer.local/x",
  "https://db.internal/x",
  "https://metadata.google.internal/x",
  "https://nas.lan/x",
  "https://router.home.arpa/x",
  "https://1.0.0.127.in-addr.arpa/x",
  "https://app.localhost/x",
  "https://abcdef.onion/x",
  "https://host.test/x",
  "https://host.invalid/x",
  "https://host.example/x",
  "https://host.intranet/x",
  "https://host.localdomain/x",
  "https://fcm.googleapis.com./x",
];

test("a corpus of hostile endpoints is refused in every mode", () => {
  assert.ok(HOSTILE.length >= 60);
  for (const policy of [VENDORS, OPEN]) {
    for (const endpoint of HOSTILE) {
      assert.ok(!checkEndpoint(policy, endpoint).ok, `${policy.mode}: ${endpoint}`);
    }
  }
});

test("a host that only looks like a vendor's is refused where only vendors are allowed", () => {
  for (const endpoint of [
    "https://evil.example.org/fcm.googleapis.com",
    "https://evil.example.org/?.push.apple.com/",
    "https://fcm.googleapis.com.evil.org/x",
    "https://evilfcm.googleapis.com/x",
    "https://sub.fcm.googleapis.com/x",
    "https://googleapis.com/x",
    "https://storage.googleapis.com/x",
    "https://push.apple.com/x",
    "https://evilpush.apple.com/x",
    "https://notify.windows.com/x",
    "https://127.0.0.1.nip.io/x",
    "https://fcm.googleapis.com:8443/x",
    "https://fcm.googleapis.com:80/x",
  ]) {
    assert.ok(!checkEndpoint(VENDORS, endpoint).ok, endpoint);
  }
});

test("open admits any public https host and port, but vouches only for named ones", () => {
  for (const [endpoint, isVouchedFor] of [
    ["https://ntfy.example.org/up?id=1", false],
    ["https://push.example.org:8443/x", false],
    ["https://fcm.googleapis.com/x", true],
  ] as const) {
    const verdict = checkEndpoint(OPEN, endpoint);
    assert.ok(verdict.ok, endpoint);
    assert.equal(verdict.isVouchedFor, isVouchedFor, endpoint);
  }
});

test("the operator's further hosts are exact unless they start with a star", () => {
  const policy = { ...VENDORS, extraHosts: ["ntfy.sh", "*.up.example.org"] };
  assert.ok(checkEndpoint(policy, "https://ntfy.sh/up").ok);
  assert.ok(checkEndpoint(policy, "https://a.b.up.example.org/x").ok);
  assert.ok(!checkEndpoint(policy, "https://a.ntfy.sh/up").ok);
  assert.ok(!checkEndpoint(policy, "https://up.example.org/x").ok);
  assert.ok(!checkEndpoint(policy, "https://ntfy.sh:8443/up").ok);
});

test("an exempt origin is exempt exactly, and still has no user name or fragment", () => {
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

test("a refusal names the host and never the path", () => {
  const verdict = checkEndpoint(VENDORS, "https://push.example.org/secret-path");
  assert.deepEqual(verdict, {
    ok: false,
    host: "push.example.org",
    message: "The push service push.example.org is not allowed by this server.",
  });
});
