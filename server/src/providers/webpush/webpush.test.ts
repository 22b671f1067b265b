import assert from "node:assert/strict";
import { createPublicKey } from "node:crypto";
import { test, type TestContext } from "node:test";
import { jwtVerify } from "jose";
import {
  startPushPeer,
  subscribeBrowser,
  type PushRequest,
} from "../../../test/support/push-peer.ts";
import type { WebPushAddress } from "../provider.ts";
import { toTopic } from "./payload.ts";
import { generateVapidKeys } from "#secrets/vapid-keys.ts";
import { createWebPushProvider, type WebPushDeps } from "./webpush.ts";
import { sendWithAdmission } from "../../../test/support/send-with-admission.ts";
import { createPushMessage } from "../../../test/support/push-message.ts";

const NOW = Date.UTC(2026, 10, 20, 12, 0, 0);
const neverAborted = new AbortController().signal;
const vapid = generateVapidKeys();
/** The limit of Mozilla's bridge to FCM, 2,600 bytes, and the 103 bytes that encryption adds. */
const BRIDGE_MAX_BYTES = 2_600 + 103;

const message = createPushMessage({
  link: "https://example.org/disk",
  createdAt: NOW - 1_000,
  expiresAt: NOW + 90_999,
});

function startProvider(t: TestContext, origin: string, overrides: Partial<WebPushDeps> = {}) {
  const provider = createWebPushProvider({
    vapid,
    findContact: async () => "mailto:operator@example.com",
    baseUrl: "https://tocsin.example.com",
    policy: { mode: "vendors", extraHosts: [], allowOrigins: [origin] },
    now: () => NOW,
    elapsed: () => 0,
    ...overrides,
  });
  t.after(async () => provider.close());
  return provider;
}

function createAddress(origin: string, keys = subscribeBrowser().keys): WebPushAddress {
  return { provider: "webpush", endpoint: `${origin}/push/secret-endpoint`, keys };
}

function parseToken({ headers }: PushRequest): string {
  return /^vapid t=(?<token>[^,]+), k=/u.exec(headers.authorization ?? "")?.groups?.["token"] ?? "";
}

test("a push request is signed, and only the browser can decrypt it", async (t) => {
  const { origin, requests } = await startPushPeer(t, (response) => response.writeHead(201).end());
  const browser = subscribeBrowser();
  const provider = startProvider(t, origin);
  const outcome = await provider.send(message, createAddress(origin, browser.keys), neverAborted);
  assert.deepEqual(outcome, { kind: "accepted", receipt: null });
  const [request] = requests;
  assert.ok(request !== undefined);
  const { headers, body } = request;
  assert.equal(headers["ttl"], "90");
  assert.equal(headers["urgency"], "high");
  assert.equal(headers["topic"], toTopic(message.notificationId));
  assert.equal(headers["content-encoding"], "aes128gcm");
  assert.equal(headers["content-type"], "application/octet-stream");
  assert.equal(headers["content-length"], String(body.length));
  assert.ok(headers.authorization?.endsWith(`, k=${vapid.publicKey}`));

  const point = Buffer.from(vapid.publicKey, "base64url");
  const x = point.subarray(1, 33).toString("base64url");
  const y = point.subarray(33).toString("base64url");
  const key = createPublicKey({ format: "jwk", key: { kty: "EC", crv: "P-256", x, y } });
  const verifyOptions = { audience: origin, algorithms: ["ES256"], currentDate: new Date(NOW) };
  const { payload } = await jwtVerify(parseToken(request), key, verifyOptions);
  assert.equal(payload.sub, "mailto:operator@example.com");
  assert.equal(payload.exp, NOW / 1000 + 12 * 60 * 60);

  assert.match(
    JSON.stringify(browser.decryptMessage(body)),
    /^\{"web_push":8030,.*"title":"Disk full"/u,
  );
});

test("the TTL is the remaining time, between one second and 28 days", async (t) => {
  const { origin, requests } = await startPushPeer(t, (response) => response.writeHead(201).end());
  const provider = startProvider(t, origin);
  for (const expiresAt of [NOW - 5_000, NOW + 999, NOW + 1_999, NOW + 10 ** 10]) {
    await provider.send({ ...message, expiresAt }, createAddress(origin), neverAborted);
  }
  assert.deepEqual(
    requests.map(({ headers }) => headers["ttl"]),
    ["1", "1", "1", "2419200"],
  );
});

test("200 concurrent sends share one token, and at most 20 run at a time", async (t) => {
  const concurrent = { current: 0, max: 0 };
  const { origin, requests } = await startPushPeer(t, (response) => {
    concurrent.current += 1;
    concurrent.max = Math.max(concurrent.max, concurrent.current);
    setImmediate(() => {
      concurrent.current -= 1;
      response.writeHead(201).end();
    });
  });
  const provider = startProvider(t, origin);
  const address = createAddress(origin);
  const sends = Array.from({ length: 200 }, async () =>
    sendWithAdmission(provider, { message, address, signal: neverAborted }),
  );
  for (const outcome of await Promise.all(sends)) assert.equal(outcome.kind, "accepted");
  assert.equal(requests.length, 200);
  assert.equal(new Set(requests.map(parseToken)).size, 1);
  assert.ok(concurrent.max > 1 && concurrent.max <= 20, `${concurrent.max} at once`);
});

test("a refused token is replaced and the message is sent again", async (t) => {
  const { origin, requests } = await startPushPeer(t, (response, request) => {
    const isStale = parseToken(request) === parseToken(requests[0] ?? request);
    response.writeHead(isStale ? 403 : 201).end('{"reason":"BadJwtToken"}');
  });
  const provider = startProvider(t, origin);
  const sends = Array.from({ length: 10 }, async () =>
    provider.send(message, createAddress(origin), neverAborted),
  );
  for (const outcome of await Promise.all(sends)) assert.equal(outcome.kind, "accepted");
  assert.equal(new Set(requests.map(parseToken)).size, 2);
});

test("credentials that stay refused are not renewed again", async (t) => {
  const { origin, requests } = await startPushPeer(t, (response) => response.writeHead(401).end());
  const provider = startProvider(t, origin);
  const { host } = new URL(origin);
  const refusedOutcome = {
    kind: "refused",
    reason: { code: "provider_misconfigured", detail: `${host} answered 401` },
    // The browser of one account must not stop the devices of all others.
    mayConcernOnlyDevice: true,
  };
  assert.deepEqual(
    await provider.send(message, createAddress(origin), neverAborted),
    refusedOutcome,
  );
  assert.equal(new Set(requests.map(parseToken)).size, 2);
  assert.deepEqual(
    await provider.send(message, createAddress(origin), neverAborted),
    refusedOutcome,
  );
  assert.equal(requests.length, 3);
  assert.equal(new Set(requests.map(parseToken)).size, 2);
});

test("a message rejected as too large is resent with only title and link", async (t) => {
  const { origin, requests } = await startPushPeer(t, (response, { body }) => {
    response.writeHead(body.length > BRIDGE_MAX_BYTES ? 413 : 201).end();
  });
  const browser = subscribeBrowser();
  const provider = startProvider(t, origin);
  const longMessage = { ...message, body: "x".repeat(4_000), image: "https://example.org/i.png" };
  const outcome = await provider.send(
    longMessage,
    createAddress(origin, browser.keys),
    neverAborted,
  );
  assert.equal(outcome.kind, "accepted");
  const [first, second] = requests.map(({ body }) => JSON.stringify(browser.decryptMessage(body)));
  assert.match(first ?? "", /"body":"x{3000}/u);
  assert.match(second ?? "", /"title":"Disk full","body":""[,}]/u);
  assert.match(second ?? "", /"link":"https:\/\/example.org\/disk","truncated":1/u);
  assert.doesNotMatch(second ?? "", /"image"/u);
});

test("a message that is too large even in short form is rejected after two requests", async (t) => {
  const { origin, requests } = await startPushPeer(t, (response) => response.writeHead(413).end());
  const outcome = await startProvider(t, origin).send(message, createAddress(origin), neverAborted);
  assert.equal(outcome.kind === "rejected" && outcome.reason.code, "payload_too_large");
  assert.equal(requests.length, 2);
});

test("a link too long for any payload is rejected without a request", async (t) => {
  const { origin, requests } = await startPushPeer(t, (response) => response.writeHead(201).end());
  const link = `https://example.org/${"l".repeat(4_000)}`;
  const outcome = await startProvider(t, origin).send(
    { ...message, link },
    createAddress(origin),
    neverAborted,
  );
  assert.equal(outcome.kind === "rejected" && outcome.reason.code, "payload_too_large");
  assert.equal(requests.length, 0);
});

test("a device with unusable keys is gone", async (t) => {
  const { origin, requests } = await startPushPeer(t, (response) => response.writeHead(201).end());
  const keys = { ...subscribeBrowser().keys, p256dh: "AAAA" };
  const outcome = await startProvider(t, origin).send(
    message,
    createAddress(origin, keys),
    neverAborted,
  );
  const reason = { code: "device_invalid", detail: new URL(origin).host };
  assert.deepEqual(outcome, { kind: "gone", goneAt: NOW, reason });
  assert.equal(requests.length, 0);
});

test("an address of another provider throws a TypeError", async (t) => {
  const provider = startProvider(t, "http://127.0.0.1:9");
  const apns = { provider: "apns", token: "00", environment: "sandbox" } as const;
  await assert.rejects(provider.send(message, apns, neverAborted), TypeError);
});
