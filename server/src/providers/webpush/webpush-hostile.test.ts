import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { startPushPeer, subscribeBrowser } from "../../../test/support/push-peer.ts";
import type { WebPushAddress } from "../provider.ts";
import { generateVapidKeys } from "#secrets/vapid-keys.ts";
import { createWebPushProvider } from "./webpush.ts";
import type { WebPushSettings } from "./webpush.ts";
import { sendAdmitted } from "../../../test/support/send-admitted.ts";
import { messageWith } from "../../../test/support/push-message.ts";

const NOW = Date.UTC(2026, 10, 20, 12, 0, 0);
const HOUR_MS = 60 * 60 * 1000;
const never = new AbortController().signal;

const message = messageWith({
  title: "Private title",
  body: "Private body",
  createdAt: NOW,
  expiresAt: NOW + HOUR_MS,
});

function providerFor(t: TestContext, origin: string, change: Partial<WebPushSettings> = {}) {
  const provider = createWebPushProvider({
    vapid: generateVapidKeys(),
    contact: async () => null,
    baseUrl: "https://tocsin.example.com",
    policy: { mode: "vendors", extraHosts: [], allowOrigins: [origin] },
    now: () => NOW,
    elapsed: () => 0,
    ...change,
  });
  t.after(async () => provider.close());
  return provider;
}

function addressAt(origin: string): WebPushAddress {
  const { keys } = subscribeBrowser();
  return { provider: "webpush", endpoint: `${origin}/push/secret-endpoint`, keys };
}

async function publicAndPrivate(): Promise<readonly string[]> {
  return ["1.1.1.1", "127.0.0.1"];
}

async function noSuchHost(): Promise<never> {
  throw new Error("ENOTFOUND");
}

test("a redirect into our own network is not followed and makes the endpoint suspect", async (t) => {
  const target = await startPushPeer(t, (response) => response.end("secret"));
  for (const status of [301, 302, 303, 307, 308]) {
    const { origin, requests } = await startPushPeer(t, (response) => {
      response.writeHead(status, { location: `${target.origin}/admin` }).end("secret");
    });
    const outcome = await providerFor(t, origin).send(message, addressAt(origin), never);
    const detail = `${new URL(origin).host} answered ${status}`;
    const reason = { code: "suspect", detail };
    assert.deepEqual(outcome, { kind: "retry", reason, afterMs: HOUR_MS, counted: true });
    assert.equal(requests.length, 1);
  }
  assert.equal(target.requests.length, 0);
});

test("an endpoint outside the policy is rejected without a request", async (t) => {
  const { origin, requests } = await startPushPeer(t, (response) => response.end());
  const provider = providerFor(t, "http://127.0.0.1:9");
  const outcome = await provider.send(message, addressAt(origin), never);
  const reason = { code: "endpoint_not_allowed", detail: new URL(origin).host };
  assert.deepEqual(outcome, { kind: "rejected", reason });
  assert.equal(requests.length, 0);
});

test("a host with one private address is rejected without a request", async (t) => {
  const { origin, requests } = await startPushPeer(t, (response) => response.end());
  const { port } = new URL(origin);
  const policy = { mode: "open", extraHosts: [], allowOrigins: [origin] } as const;
  const provider = providerFor(t, origin, { policy, resolve: publicAndPrivate });
  const address = addressAt(`https://push.example.org:${port}`);
  const outcome = await provider.send(message, address, never);
  const reason = { code: "endpoint_not_allowed", detail: `push.example.org:${port}` };
  assert.deepEqual(outcome, { kind: "rejected", reason });
  assert.equal(requests.length, 0);
});

test("a host that cannot be resolved is unreachable and the attempt not counted", async (t) => {
  const policy = { mode: "open", extraHosts: [], allowOrigins: [] } as const;
  const provider = providerFor(t, "", { policy, resolve: noSuchHost });
  const outcome = await provider.send(message, addressAt("https://push.example.org"), never);
  const reason = { code: "unreachable", detail: "push.example.org" };
  assert.deepEqual(outcome, { kind: "retry", reason, afterMs: null, counted: false });
});

test("a refused connection is unreachable, a broken or unanswered one ambiguous", async (t) => {
  const closed = await startPushPeer(t, () => {});
  closed.server.close();
  const broken = await startPushPeer(t, (response) => response.socket?.resetAndDestroy());
  const silent = await startPushPeer(t, () => {});
  for (const [{ origin }, code, counted] of [
    [closed, "unreachable", false],
    [broken, "ambiguous", true],
    [silent, "ambiguous", true],
  ] as const) {
    const provider = providerFor(t, origin, { requestTimeoutMs: 1_000 });
    const outcome = await provider.send(message, addressAt(origin), never);
    const reason = { code, detail: new URL(origin).host };
    assert.deepEqual(outcome, { kind: "retry", reason, afterMs: null, counted });
  }
});

test("an attempt that is never admitted to a slow host ends as not sent", async (t) => {
  const { origin, requests } = await startPushPeer(t, () => {});
  const provider = providerFor(t, origin, { requestTimeoutMs: 1_000 });
  const address = addressAt(origin);
  const sends = Array.from({ length: 25 }, async () =>
    sendAdmitted(provider, { message, address, signal: never }),
  );
  const outcomes = await Promise.all(sends);
  const unsent = outcomes.filter((outcome) => outcome.kind === "retry" && !outcome.counted);
  assert.equal(requests.length, 20);
  assert.equal(unsent.length, 5);
});

test("a caller's signal ends an attempt as a retry, counted only if something was sent", async (t) => {
  const controller = new AbortController();
  const { origin, requests } = await startPushPeer(t, () => controller.abort());
  const provider = providerFor(t, origin);
  const reason = { code: "ambiguous", detail: new URL(origin).host };
  const retry = { kind: "retry", reason, afterMs: null } as const;
  const sent = await provider.send(message, addressAt(origin), controller.signal);
  assert.deepEqual(sent, { ...retry, counted: true });
  const late = { message, address: addressAt(origin), signal: controller.signal };
  const unsent = await sendAdmitted(provider, late);
  assert.deepEqual(unsent, { ...retry, counted: false, isNoSign: true });
  assert.equal(requests.length, 1);
});

test("close ends attempts under way and later ones as retries", async (t) => {
  const { origin } = await startPushPeer(t, () => {
    void provider.close();
  });
  const provider = providerFor(t, origin);
  const under = await provider.send(message, addressAt(origin), never);
  assert.ok(under.kind === "retry" && under.counted);
  const late = await provider.send(message, addressAt(origin), never);
  assert.ok(late.kind === "retry" && !late.counted);
});

test("close also ends attempts that wait to be admitted", async (t) => {
  const { origin, requests } = await startPushPeer(t, () => {
    if (requests.length === 20) void provider.close();
  });
  const provider = providerFor(t, origin);
  const address = addressAt(origin);
  const sends = Array.from({ length: 30 }, async () =>
    sendAdmitted(provider, { message, address, signal: never }),
  );
  const outcomes = await Promise.all(sends);
  const counted = outcomes.filter((outcome) => outcome.kind === "retry" && outcome.counted);
  const uncounted = outcomes.filter((outcome) => outcome.kind === "retry" && !outcome.counted);
  assert.deepEqual([counted.length, uncounted.length], [20, 10]);
  assert.equal(requests.length, 20);
});

test("an outcome holds no endpoint, no key, no text of ours and none of theirs", async (t) => {
  for (const status of [200, 307, 400, 403, 404, 410, 413, 418, 429, 500]) {
    const { origin } = await startPushPeer(t, (response) => {
      response.writeHead(status, { location: "/theirs" }).end('{"reason":"theirs"}');
    });
    const address = addressAt(origin);
    const outcome = await providerFor(t, origin).send(message, address, never);
    const text = JSON.stringify(outcome);
    const { p256dh, auth } = address.keys;
    for (const secret of ["secret-endpoint", p256dh, auth, "Private", "theirs", "eyJ"]) {
      assert.ok(!text.includes(secret), `${status}: ${text}`);
    }
  }
});

test("eleven throttled answers slow the host down to four at once", async (t) => {
  const busy = { now: 0, most: 0 };
  let isThrottling = true;
  const { origin } = await startPushPeer(t, (response) => {
    busy.now += 1;
    busy.most = Math.max(busy.most, busy.now);
    setImmediate(() => {
      busy.now -= 1;
      response.writeHead(isThrottling ? 429 : 201, { "retry-after": "2" }).end();
    });
  });
  const provider = providerFor(t, origin);
  const address = addressAt(origin);
  for (let count = 0; count < 11; count++) {
    const outcome = await provider.send(message, address, never);
    const reason = { code: "rate_limited", detail: `${new URL(origin).host} answered 429` };
    assert.deepEqual(outcome, { kind: "retry", reason, afterMs: 2_000, counted: true });
  }
  isThrottling = false;
  busy.most = 0;
  const sends = Array.from({ length: 40 }, async () =>
    sendAdmitted(provider, { message, address, signal: never }),
  );
  for (const outcome of await Promise.all(sends)) assert.equal(outcome.kind, "accepted");
  assert.ok(busy.most <= 4, `${busy.most} at once`);
});
